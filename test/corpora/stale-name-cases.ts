/** A project, and texts (based on real texts) that name files and scripts. SAT notes names that do not exist. */
import { spawnSync } from 'node:child_process'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { writeInto } from '../harness/host.ts'

const FILES: Record<string, string> = {
  'package.json':
    '{"scripts":{"build":"x","test:unit":"x"},"devDependencies":{"typescript":"1","next":"1"},"workspaces":["packages/*"]}',
  'packages/web/package.json': '{"scripts":{"dev":"x"}}',
  'Makefile':
    'all: build\n\t@echo x\nbuild \\\n  lint: a b\nifeq (1,1)\n  nested: a\nendif\n.PHONY: all\nA := 1\nB = $(A)/x:$(A)\n$(info x)\nPATH := $(A):$(B)\n',
  // This Makefile of Sphinx matches every target. Even so, `make deploy` in a text outside of `docs/` gets a note.
  'docs/Makefile': '%: Makefile\n\tsphinx-build -M $@\n',
  'services/db/Makefile': 'migrate:\n\tx\n',
  'justfile': 'alias b := build\nbuild target="x":\n  echo\n@check *ARGS: build\n',
  '.gitignore': '/src/generated/\n*.local\nnode_modules\n/dist\n',
}

// The folders `next/` and `users/` make the package `next/link` and the route `users/list` look like paths.
const EMPTY_FILES =
  `packages/web/src/page.tsx src/app.ts src/util/date.ts src/app/[id]/page.tsx src/helpers/x.ts docs/guide.md
  docs/cafe\u0301/menu.md test/app.test.ts next/config.ts users/model.ts
  .github/workflows/ci.yml`.split(/\s+/)

/** Creates the project as a repository whose index still has the deleted folder `src/helpers/`. */
export const makeProject = (root: string): void => {
  const empty = (paths: Array<string>) => Object.fromEntries(paths.map((path) => [path, '']))
  writeInto(root, { ...FILES, ...empty(EMPTY_FILES) })
  for (const args of [['init', '-q'], ['add', '-A']]) {
    const { status, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }
  rmSync(join(root, 'src/helpers'), { recursive: true })
  writeInto(root, empty(['node_modules/.bin/tsc', 'elsewhere/deep/kit.ts', 'src/draft/new.ts']))
  symlinkSync('../elsewhere', join(root, 'users/linked'))
}

export const STALE: Array<[text: string, reason: string]> = [
  ['```ls -l``` comes first.\n\nStart at `src/main.ts`.', 'not found'],
  ['Begin with `<!--`.\n\nStart at `src/main.ts`.', 'not found'],
  ['<!-- a note --> Start at `src/main.ts`.', 'not found'],
  ['> <!-- a\n>\n> note --> Start at `src/main.ts`.', 'not found'],
  ['- <!-- never closed\n\nStart at `src/main.ts`.', 'not found'],
  ['<rules>\nStart at `src/main.ts`.\n</rules>', 'not found'],
  ['Start at src/main.ts <!-- src/other.ts -->', 'not found'],
  ['See [the start][main].\n\n[main]: src/main.ts', 'the link leads nowhere'],
  ['Start at `src/main.ts`.', 'not found, though `src/` is there'],
  ['Helpers are in `src/helpers/`', 'not found'],
  ['Shared code goes to `helpers/x.js`, in `src/helpers/x.js`', 'not found'],
  ['`./src/main.ts` is the entry', 'not found'],
  ['see `src/main.ts:42` for it', 'not found'],
  ['see `src/main.ts#L10`', 'not found'],
  ['`test/main.test.ts::works` must pass', 'not found'],
  ['Tests: `test/**/*.spec.ts`', 'no file matches, though `test/` is there'],
  ['設定は`src/config.ts`にあります', 'not found'],
  ['設定はsrc/config.tsにあります', 'not found'],
  ['See @docs/architecture.md', 'not found'],
  ['**src/main.ts** is the entry', 'not found'],
  ['[the guide](docs/guid.md)', 'the link leads nowhere'],
  ['[the guide](CONTRIBUTING.md#start)', 'the link leads nowhere'],
  ['[`src/main.ts`](src/main.ts) is the entry', 'not found'],
  ['> ```sh\n> npm run\n> npm run lint\n> ```', 'package.json has no script "lint"'],
  ['Check it:\n\n    npm run lint\n', 'package.json has no script "lint"'],
  ['`npm run lint -- --fix`', 'no script "lint"'],
  ['`pnpm test:e2e`, then push', 'no script "test:e2e"'],
  ['`yarn deploy`', 'no script "deploy"'],
  ['`bun run e2e`', 'no script "e2e"'],
  ['`npm run build && npm run docs`', 'no script "docs"'],
  ['`cd packages/web && npm run start-it`', 'no script "start-it"'],
  ['Run `npm test`', 'no script "test"'],
  ['`CI=1 npm run lint`', 'no script "lint"'],
  ['```bash\n$ npm run lint   # before a commit\nnpm run build\n```', 'no script "lint"'],
  ['- Check:\n\n  ```sh\n  make deploy\n  ```', 'Makefile has no target "deploy"'],
  ['`make build deploy A=2`', 'Makefile has no target "deploy"'],
  ['`just deploy`', 'justfile has no recipe "deploy"'],
]

/** Texts that get no note. */
export const SILENT: Array<string> = [
  '<!-- `src/main.ts`\n\nsrc/main.ts',
  '- <!-- `src/main.ts`\n  src/main.ts',
  '~~~\n```\n`src/main.ts`\n```\n~~~',
  '``` `src/main.ts` ``` is how a span is written',
  'Like this:\n\n    import x from "src/main.ts"\n',
  '---\nfile: src/main.ts\n---\n\nx',
  '<!--\n\n`src/main.ts`\n\n-->',
  '```ts\nimport x from "src/main.ts" // `src/main.ts`\nnpm run lint\n```',
  '```\nsrc/\n├── main.ts\nsrc/main.ts\n```',
  // names that exist
  'Menus: `docs/caf\u00e9/menu.md`, `docs/cafe\u0301/*.md`, [one](docs/caf\u00e9/menu.md)',
  'Start at `src/app.ts`, `src/util/`, `src/util`, `./docs/guide.md`, docs/guide.md, @docs/guide.md.',
  'import it from `src/util/date` or `src/util/date.js`; not committed yet: `src/draft/new.ts`',
  'the page `src/app/[id]/page.tsx`, and `src/page.tsx` in the web package',
  '`src/**/*.ts`, `test/*.test.ts`, `packages/*/src`, `packages/**/src/`, `.github/**`, `packages/**.tsx`',
  '`src/app.ts:3`, `src/app.ts#L2`, `test/app.test.ts::name`, `docs/guide.md?raw`',
  '`npm run build`, `npm run test:unit -- -t x`, `bun run build`, `npm run dev` in packages/web, `pnpm dev`',
  '`make build`, `make lint A=2`, `make all`, `make build -j 4`, `CI=1 X= npm run build`, `make nested`, `make migrate`',
  '```sh\nmake build # and then deploy\n```',
  '`just build`, `just b`, `just check -v`',
  '[top](#top), [mail](mailto:a@x.example), [there](docs/guide.md), ![a](docs/guide.md), [web](packages/web/src/page.tsx)',
  // names that may exist below a link, or that git ignores
  'below a link: `users/linked/deep/kit.ts`, `users/linked/gone.ts`, `users/linked/**/*.ts`',
  '`dist/index.js`, `node_modules/x/y.js`, `src/generated/client.ts`, `src/env.local`, `src/generated/*.ts`',
  // commands that run no script, or perhaps a script of another package
  '`bun test`, `npm install`, `npm start`, `npm t`, `yarn install`, `pnpm add x`, `pnpm tsc`, `yarn run tsc`, `cargo xtask ci`',
  '`npm --prefix x run y`, `pnpm --filter web run y`, `npm run x --if-present`, `bun run scripts/x.ts`, `make -C x y`',
  // placeholders, keys of `Object.prototype`, words that only look like paths, paths that SAT does not check
  '`src/<name>/index.ts`, `src/{name}.ts`, `src/[slug]/page.tsx`, `src/$DIR/x.ts`, `docs/…/x.md`, `docs/NNNN-x.md`, `src/XXX.ts`',
  '`npm run <script>`, `npm run lint:*`, `docs/YYYY-MM-DD.md`, `src/...`, src/<name>/x.ts, src/${name}/x.ts',
  '[up](../README.md), ![up](../../x.png)',
  '`constructor`, `toString run x`, `__proto__ x`, `hasOwnProperty`',
  '`users/list`, `users/v1`, `docs/next`, `docs/v1.2.0`, `src/main:app`, `docs/checkout@v4`, `test/no-focused`, `next/link`, `src/helpers`',
  '`/api/users`, `GET /users/list.json`, `/src/main.ts`, `@scope/src/x.ts`, `@/src/x.ts`, `~/src/x.ts`, ~/src/x.ts',
  '`https://x.dev/src/main.ts`, https://x.dev/src/main.ts, [x](https://x.dev/src/main.ts), <https://x.dev/docs/x.md>',
  '`feature/x`, `text/plain`, and/or, `w/h`, `C:\\src\\main.ts`, `git@github.com:a/src/b.git`, github.com/a/b.html',
  '`../sibling/x.ts`, ../src/x.ts, `README.old.md`, `main.ts`, `src/`, `.github/workflows/release.yml`, `src/.cache/x.ts`',
  '`a / b`, `src/main.ts or src/app.ts`, `s/src/lib/`, `src/main.ts, src/x.ts`, `import x from "src/x.ts"`',
]

/** SAT cannot see that these names are missing on purpose, so it notes them, and the model judges. */
export const MISSING_ON_PURPOSE: Array<string> = [
  'Name components like `src/components/Button.tsx`.',
  'Never bring back `src/utils/index.ts`.',
  'There is no `npm run format` here.',
  'The plan is to add `src/cart.ts`.',
]
