import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readMarkdown } from './markdown.ts'
import { ProjectFiles } from './project-files.ts'
import { staleNames } from './stale-names.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sat-stale-')))
afterAll(() => rmSync(root, { recursive: true }))

const PROJECT: Record<string, string> = {
  'package.json':
    '{"scripts":{"build":"x","test:unit":"x"},"devDependencies":{"typescript":"1","next":"1","@docs/kit":"1"},"workspaces":["packages/*"]}',
  'node_modules/.bin/tsc': '',
  'packages/web/package.json': '{"scripts":{"dev":"x"}}',
  'packages/web/src/page.tsx': '',
  'packages/api/index.ts': '',
  'packages/api/package.json': '{}',
  'packages/api/.gitignore': '/gen/\n',
  'Makefile':
    'all: build\n\t@echo x\nbuild \\\n  lint: a b\nifeq (1,1)\n  nested: a\nendif\n.PHONY: all\nA := 1\nB = $(A)/x:$(A)\n$(info x)\nPATH := $(A):$(B)\n',
  'server.js': '',
  'next/config.ts': '',
  'tools/justfile': 'alias b := build\nbuild target="x":\n  echo\n@check *ARGS: build\n',
  'services/db/Makefile': 'migrate:\n\tx\n',
  'generated/Makefile': 'include other.mk\nall:\n',
  'patterns/Makefile': 'B = x\ntest-%: $(B)\n\tx\n',
  'computed/Makefile': 'B = x\n$(B): all\n\tx\n',
  'called/Makefile': 'define X\n$(1): y\nendef\n$(call X,a)\n',
  'src/app.ts': '',
  'src/util/date.ts': '',
  'src/app/[id]/page.tsx': '',
  'docs/guide.md': '',
  'test/app.test.ts': '',
  'dist/old.js': '',
  'api/server.ts': '',
  'users/model.ts': '',
  '.github/workflows/ci.yml': '',
  '.gitignore': '/src/generated/\n*.local\n',
  'text/readme.txt': '',
}
for (const [path, text] of Object.entries(PROJECT)) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

mkdirSync(join(root, 'shared/deep'), { recursive: true })
writeFileSync(join(root, 'shared/deep/kit.ts'), '')
symlinkSync(join(root, 'shared'), join(root, 'users/linked'))

const staleIn = async (line: string, file = 'AGENTS.md'): Promise<Array<string>> => {
  const { codeSpans } = readMarkdown(line)
  const stale = await staleNames(join(root, file), codeSpans, root, new ProjectFiles(root))
  return stale.map(({ name, reason }) => `${name}: ${reason}`)
}

// A line as it stands in an instruction file, and the words of the reason against its name.
const STALE: Array<[string, string]> = [
  ['Start at `src/main.ts`.', 'not there, though `src/` is'],
  ['The router lives in `src/router/index.ts`, see there.', 'not there'],
  ['Helpers are in `src/helpers/`', 'not there'],
  ['Put helpers into `src/helpers`.', 'not there'],
  ['Read `docs/architecture.md` first', 'not there'],
  ['- CI: `.github/workflows/release.yml`', 'not there'],
  ['`./src/main.ts` is the entry', 'not there'],
  ['see `src/main.ts:42` for it', 'not there'],
  ['see `src/main.ts#L10`', 'not there'],
  ['`test/main.test.ts::works` must pass', 'not there'],
  ['the model is `api/model.ts`', 'not there'],
  ['Tests: `test/**/*.spec.ts`', 'no file matches, though `test/` is there'],
  ['all of `src/{views,pages}/*.vue`', 'no file matches'],
  ['Les tests sont dans `test/unitaires/`.', 'not there'],
  ['設定は `src/config.ts` にあります', 'not there'],
  ['Run `npm run lint` when done.', 'package.json has no script "lint"'],
  ['`npm run lint -- --fix`', 'no script "lint"'],
  ['`pnpm run test:e2e`', 'no script "test:e2e"'],
  ['`yarn run deploy`', 'no script "deploy"'],
  ['`bun run e2e`', 'no script "e2e"'],
  ['`npm run build && npm run docs`', 'no script "docs"'],
  ['Run `npm test`', 'no script "test"'],
  ['`make deploy`', 'Makefile has no target "deploy"'],
  ['`make build deploy A=2`', 'Makefile has no target "deploy"'],
  ['`CI=1 npm run lint`', 'no script "lint"'],
  ['| `src/main.ts` | the entry |', 'not there'],
  ['Pages live in `src/pages`', 'not there'],
  ['[`src/main.ts`](src/main.ts) is the entry', 'not there'],
  ['`users/linked/gone.ts`', 'not there'],
  // what is said elsewhere does not speak of it
  ['# Example app\n\nStart at `src/main.ts`', 'not there'],
  ['## Never do this\n\n- x\n\n## Layout\n\n- `src/main.ts`', 'not there'],
  ['Do not:\n- skip tests\n\nStart at `src/main.ts`', 'not there'],
  ['- Create a test.\n- Start at `src/main.ts`', 'not there'],
  ['- For example:\n  - `src/a1.ts`\n- Start at `src/main.ts`', 'not there'],
  ['Tests live in `test/unit/`. Never skip them.', 'not there'],
  ['Read `docs/architecture.md` before you create a file.', 'not there'],
  ['`src/app.ts` and `src/main.ts` are the entries', 'not there'],
  ['Run `npm run build -- --old`, then read `src/main.ts`', 'not there'],
  ['The plan is in `docs/plan.md`', 'not there'],
  ['不要修改代码。模型在 `src/main.ts`', 'not there'],
  ['<!-- a note -->\n\n<!--\nanother\n-->\n\nStart at `src/main.ts`', 'not there'],
  ['Die Modelle liegen in `src/models/`. Ändere sie nicht.', 'not there'],
  ['Los modelos se encuentran en `src/models/`.', 'not there'],
  ['Модели лежат в `src/models/`', 'not there'],
  ['Setup\n---\n\n| Path | What |\n|---|---|\n| `src/main.ts` | entry |', 'not there'],
]

test.each(STALE)('stale: %s', async (line, reason) => {
  const stale = await staleIn(line)
  expect(stale).toHaveLength(1)
  expect(stale[0]).toContain(reason)
})

// True, or none of our business.
const SILENT: Array<string> = [
  // true
  'Start at `src/app.ts`, `src/util/`, `src/util`, `./docs/guide.md`.',
  'import it from `src/util/date` or `src/util/date.js`',
  'the page `src/app/[id]/page.tsx`',
  '`src/**/*.ts`, `test/*.test.ts`, `packages/*/src`, `.github/**`',
  '`src/app.ts:3`, `src/app.ts#L2`, `test/app.test.ts::name`',
  'the page is `src/page.tsx` in the web package',
  '`npm run build`, `npm run test:unit -- -t x`, `bun run build`, `bun run tsc`',
  '`npm run dev` in packages/web',
  '`make build`, `make lint A=2`, `make all`, `make build lint`, `make build -j 4`, `CI=1 X= npm run build`',
  'in `services/db`: `make migrate`',
  'read `packages/**.tsx`',
  'behind a link: `users/linked/deep/kit.ts`, `users/linked/deep/kit.js`, `users/linked/deep`, `users/linked/**/*.ts`, `users/**/kit.ts`',
  'in packages/web: `src/page.js`, `src/page`',
  'inline `docs/guide.md?raw`',
  // another folder, another file, built in
  '`cd packages/web && npm run start-it`',
  '`npm run lint -w web`, `npm --prefix x run y`, `pnpm --filter web run y`, `npm run x --if-present`',
  '`bun test`, `npm install`, `npm start`, `yarn lint`, `cargo nextest run`, `cargo xtask ci`',
  '`bun run scripts/x.ts`',
  '`npm run env`, `npm run start`, `npm run x -ws`, `make nested`, `make build A=2`',
  // examples and placeholders
  'For example:\n\n- `src/cart.ts`\n- `src/orders.ts`',
  '## Examples\n\n- a: `src/cart.ts`',
  'Examples\n---\n\nHere is one: `src/cart.ts`',
  '- Names, for instance\n  `src/cart.ts`',
  '> for example\n> `src/cart.ts`',
  'Such as:\n1. files\n   - `src/cart.ts`',
  '`src/FEATURE/x.ts`, `src/some-feature/x.ts`, `src/my_module.py`, `docs/0001-title.md`',
  'name it like `src/shop/cart.ts`',
  'for example `src/cart.ts`',
  'a path (e.g. `src/cart.ts`) in backticks',
  'zum Beispiel `src/warenkorb.ts`',
  '例えば `src/cart.ts`',
  '`src/<name>.ts`, `src/{name}.ts`, `src/$NAME.ts`, `src/...`, `src/…/x.ts`, `src/foo.ts`, `src/your-file.ts`, `src/X.tsx`',
  '`npm run <script>`, `npm run SCRIPT`, `npm run test:*`, `make TARGET`',
  'a component is `src/ComponentName/index.tsx`, `src/Name/x.tsx`, `src/feature-name/`, `src/MyThing.ts`, `src/NNNN_auto.sql`',
  'a test of `src/a/b.ts` is `test/a/b.test.ts`',
  '`src/shop/cart.ts` → `test/shop/cart.test.ts`',
  '`src/foo_test.go`, `test/test_foo.py`, `src/useFoo.ts`, `src/FooBar.tsx`, `src/useSomething.ts`, `src/xyz.ts`',
  '`src/SomeCard.tsx`, `src/YourCard.tsx`, `src/feature-a/x1.ts`, `src/featureA/x1.ts`',
  'Use kebab-case: `src/user-profile.ts`. Good: `src/user-profile.ts`. Anti-pattern: `src/misc.ts`',
  'the expression `src/.*`',
  // in other languages
  'não use `src/cart.ts`, por exemplo `src/cart.ts`, non usare `src/cart.ts`, sin `src/cart.ts`, sans `src/cart.ts`',
  'gebruik geen `src/cart.ts`, bijvoorbeeld `src/cart.ts`, nie używaj `src/cart.ts`, inte `src/cart.ts`',
  'не используйте `src/cart.ts`; `src/cart.ts` удалён; создайте `src/cart.ts`; если есть `src/cart.ts`',
  '`src/cart.ts` wurde entfernt. Statt `src/cart.ts`. Erstelle `src/cart.ts`. Falls es `src/cart.ts` gibt.',
  "`src/cart.ts` a été supprimé. Créez `src/cart.ts`. S'il faut, si `src/cart.ts` existe. Au lieu de `src/cart.ts`.",
  'Crea `src/cart.ts`. `src/cart.ts` fue eliminado. Si existe `src/cart.ts`.',
  '创建 `src/cart.ts`。如果存在 `src/cart.ts`。别用 `src/cart.ts`。`src/cart.ts` 已删除。不能修改 `src/cart.ts`。',
  '`src/cart.ts` を作成する。`src/cart.ts` は使わないでください。もし `src/cart.ts` があれば読む。',
  '`src/cart.ts` 파일을 생성하세요. `src/cart.ts` 사용 금지. 예: `src/cart.ts`',
  '例如：\n\n- `src/cart.ts`\n- `src/orders.ts`',
  'assume `src/cart.ts` exists, suppose `src/orders.ts` does',
  '`src/app/[slug]/*.tsx`, `src/app/[...rest]/page.tsx`',
  // yet to be made, denied, gone
  'Create these:\n\n1. `src/shop/index.ts`\n2. `src/shop/cart.ts`',
  'Do not use\n`src/helpers/` here.',
  'The folder `src/helpers/`\nwas removed.',
  '### Removed\n\n`src/helpers/x.ts`',
  '| Bad | Good |\n|---|---|\n| `src/Cart.ts` | `src/app.ts` |',
  'TODO: add `src/cart.ts`. Add a `src/cart.ts`. `src/cart.ts` (coming soon)',
  'save the plan as `docs/plan.md`, write it all to `docs/report.md`, compiles to `docs/x1.js`',
  'Fees should live in `src/fees/`. `src/app.ts` becomes `src/cart.ts`. The probe: `src/probes/` (new dir)',
  "There is no `src/cart.ts`. `src/cart.ts` isn't there. Previously in `src/cart.ts`. It was `src/cart.ts`.",
  '`src/cart.ts` → `src/app.ts`; ~~`src/cart.ts`~~ <!-- `src/cart.ts` -->',
  'unless `docs/adr.md` exists, whether there is a `docs/adr.md`, where `docs/adr.md` exists',
  'in the other repository: `src/cart.ts`, upstream: `src/cart.ts`',
  'create `src/cart.ts` for it',
  '`src/cart.ts`, `src/orders.ts` and `src/x1/` were removed. `docs/shots/` und `docs/x1.md` gibt es nicht.',
  '`src/schema.ts` and `src/x1.ts` are generated. `src/schema.ts`: auto-generated. `bin/x1`, `test/x1` (compiled).',
  '| File | What |\n|---|---|\n| `src/schema.d.ts` | Generated types |',
  'the compiler generates `src/schema.ts`',
  'do not put anything into `src/helpers/`',
  '`src/helpers/` is banned. Imports from `src/helpers/` are forbidden. Stay away from `src/helpers/`. Neither `src/helpers/`.',
  'Prefer `src/util` over `src/helpers`. `src/util` replaces `src/helpers/`. Until v2: `src/helpers/`. It once lived in `src/helpers/`. `src/helpers/` (archived)',
  `\`${'a'.repeat(190)}\` but never \`src/cart.ts\``,
  'Introduce `src/cart.ts`. Extract it to `src/cart.ts`. We need a `src/cart.ts`. `src/cart.ts` is missing.',
  'Given `src/cart.ts`, write a test. `src/cart.ts`, `src/orders.ts`, etc. Format: `docs/adr/0007-x1.md`',
  'Proposed layout:\n\n- `src/domain/`\n- `src/infra/`',
  'never `src/old.ts`, that was removed',
  'use `src/app.ts` instead of `src/main.ts`',
  '`src/main.ts` was renamed',
  '`npm run lint` no longer exists',
  'Avoid `src/utils/` as a dumping ground. No `src/helpers/` folder.',
  'Bad: `src/Cart.ts`. ❌ `src/CART.ts`',
  'Verwende kein `src/alt/`',
  '禁止使用 `src/cart.ts`',
  'if there is a `docs/adr/` folder, read it',
  'Nothing lives in `src/helpers/` any more. Move it to `src/shop/`. Shots are saved to `docs/shots/`.',
  '<!--\n\n# Old\n\n`src/cart.ts`\n\n| a | b |\n|---|---|\n| `src/orders.ts` | x |\n\n-->',
  // what tools fill, in other folders too
  '`packages/web/dist/index.js`, `packages/api/.cache/x`, `packages/api/gen/client.ts`',
  '`dist/index.js`, `node_modules/x/y.js`, `coverage/lcov.info`, `src/generated/client.ts`, `src/env.local`',
  '`packages/*/dist`, `packages/*/.cache/*.ts`, `src/__generated__/x1.ts`',
  // routes, packages, addresses, branches, media types, words
  'the `users/admin/*` routes, the action `docs/checkout@v4`, `users/v1`, `users/v1beta1`, `users/123`, `docs/1.x`, `docs/v1.2.0`',
  'the target `src/main:app`, the worktree `docs/next`',
  'the model `docs/gpt-4o`, PRs go to `docs/next`, rebase on `docs/next`, merge `docs/next`, check out `docs/next`',
  'GET `users/list`, POST `users/create`, the RPC `users/list`',
  '`next/link` and `docs/kit`, `from next/image`',
  'the rule `test/no-focused`, the `test/unit` job, the table `users/roles`',
  '`/api/users`, `api/users`, `GET /api/users`, `POST api/orders`, `/src/main.ts`',
  'the endpoint `users/list`',
  'cache key `users/all`, the `docs/latest` feature, event names: `test/started`, the alias `src/lib`',
  'see [`src/other/run.ts`](https://x.dev/a/src/other/run.ts)',
  '`lodash/fp`, `@scope/pkg`, `@/components/x`, `~/src/x.ts`, `next/link`, `node:fs/promises`',
  '`https://x.dev/src/main.ts`, `x.dev/src`, `git@github.com:a/b.git`, `github.com/a/b`',
  'branches are named `docs/topic`',
  '`feature/x`, `and/or`, `true/false`, `text/plain`, `application/json`, `src/test`',
  '`../sibling/x.ts`, `C:\\src\\main.ts`, `src\\main.ts`',
  '`README.old.md`, `tsconfig.build.json`, `main.ts`, `src/`',
  '`a / b`, `src/main.ts or src/app.ts`, `s/src/lib/`, `src/main.ts, src/x.ts`',
  '`origin/main`, `user/repo`, `gpt/4`, `1/2`, `w/h`',
]

test.each(SILENT)('silent: %s', async (line) => {
  expect(await staleIn(line)).toEqual([])
})

test('recipes are judged by the nearest file, and not where it brings others in', async () => {
  expect(await staleIn('`just build`, `just b`, `just check -v`', 'tools/AGENTS.md')).toEqual([])
  expect(await staleIn('`just deploy`', 'tools/AGENTS.md')).toEqual([
    'just deploy: justfile has no recipe "deploy"',
  ])
  expect(await staleIn('`just deploy`')).toEqual([])
  for (const folder of ['generated', 'patterns', 'computed', 'called']) {
    expect(await staleIn('`make deploy`', `${folder}/AGENTS.md`)).toEqual([])
  }
})

test('a text in a package means the scripts there, above and below, not those of the package beside it', async () => {
  const lines = '`npm run build`, `npm run dev`'
  // `.github` is no package: a text there speaks of the whole project.
  for (const folder of ['packages/web', 'packages', '.github']) {
    expect(await staleIn(lines, `${folder}/AGENTS.md`)).toEqual([])
  }
  expect(await staleIn(lines, 'packages/api/AGENTS.md')).toEqual([
    'npm run dev: package.json has no script "dev"',
  ])
  expect(await staleIn('`make migrate`', '.github/AGENTS.md')).toEqual([])
})

test('a program that a workspace has for all its packages is no missing script', async () => {
  const lines = '`yarn run tsc`, `bun run tsc`, `yarn run gone`'
  expect(await staleIn(lines, 'packages/web/AGENTS.md')).toEqual([
    'yarn run gone: package.json has no script "gone"',
  ])
})

test('a file outside the project is not judged', async () => {
  expect(await staleIn('`src/main.ts`', '../AGENTS.md')).toEqual([])
})
