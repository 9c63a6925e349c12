import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { scratchFolder, writeFileAt } from '../../../test/harness/scratch.ts'
import { readCommands } from './format-command.ts'

const readCommand = (command: string, folder: string) =>
  readCommands({ '**': command }, { directory: folder, worktree: folder })(join(folder, 'x'))!

const project = scratchFolder()
for (const name of ['src/a.js', 'prettier.config.js']) writeFileAt(join(project, name))

// The repository of a formatter may have folders with the names of programs and subcommands.
const namesakes = scratchFolder()
const NAMESAKES = 'black build check ci dev fix fmt format lint prettier ruff src src/format'
for (const name of NAMESAKES.split(' ')) mkdirSync(join(namesakes, name))

const rowsIn = (folder: string, commands: string): Array<[command: string, folder: string]> =>
  commands.split(';').map((command) => [command.trim(), folder])

test.each([
  ...rowsIn(
    project,
    `prettier --write; npx prettier --write; ./node_modules/.bin/prettier --write; sh format.sh; deno run -A fmt.ts;
    NODE_ENV=test prettier --config prettier.config.js --write; biome check --write --config-path="./src";
    clang-format -i --style='{BasedOnStyle: LLVM}'; bun run prettier --write; yarn run eslint --fix;
    stylelint --fix --config-basedir src; isort --src src; eslint --fix --rule "semi: [2, always]"; yarn prettier -w;
    pnpm exec biome check; uv run ruff format; hatch run black; rye fmt; deno fmt; mise exec -- uv run black;
    fmt ${'x'.repeat(300)}`,
  ),
  ...rowsIn(
    namesakes,
    `ruff format; uv run black; uv run --group dev black -q; python -m black; npx @biomejs/biome check; fix;
    npx --yes prettier --write; npm exec prettier -- --write; isort --profile black; vault policy fmt;
    swift-format format -i; NODE_ENV=dev prettier --write; stylelint --fix --config-basedir format`,
  ),
])('the path is added at the end of the command %s in %s', (command, folder) => {
  expect(readCommand(command, folder).script).toBe(`${command} "$FILE"`)
})

test.each([
  ...rowsIn(
    project,
    `cargo fmt; mise exec -- cargo fmt; ./gradlew spotlessApply; prettier --write .; prettier --write src;
    prettier --write "src/**/*.ts"; golangci-lint run --fix ./...; npm --silent run format; bun run format;
    bun run --silent format; deno task fmt; mise run fmt; pdm run fmt; hatch run style:fmt; uv run poe tidy;
    yarn format; yarn --silent lint:fix; pnpm -r format; composer fix; poetry run format; cd src && prettier --write; prettier --write $(git ls-files);
    git diff --name-only | xargs prettier --write`,
  ),
  ...rowsIn(
    namesakes,
    `ruff format src; ruff format format; ruff format ./format; ruff format format/; ruff format src/format;
    ruff format .; uv run black black; black src black; ruff check ruff --fix; npx prettier src --write;
    npx --yes prettier prettier --write; deno fmt fmt; prettier --write build; fix fix; terraform fmt ../..;
    dart format src check; python -m black src; biome check --write './format'`,
  ),
])('the command %s in %s runs unchanged, for the whole project', (command, folder) => {
  expect(readCommand(command, folder)).toMatchObject({ script: command, wholeProject: true })
})

// Prints each argument and a `\0`. If the shell splits a path, its spaces are missing in the output.
const PRINT = "printf '%s\\0'"
const PRINT_IN_SCRIPT = PRINT.replaceAll("'", '"')

const HOSTILE_PATHS = [
  ...['/p/plain.js', '/p/with space.js', "/p/it's.js", '/p/a "quoted" name.js', '/p/; touch hacked;.js'],
  ...['/p/$(touch hacked).js', '/p/`touch hacked`.js', '/p/$HOME.js', '/p/two\nlines.js', '/p/*.js'],
  ...['/p/back\\slash.js', '/p/{path}.js', '-rf'],
]

test.each([
  ['without quotes', `${PRINT} {path}`],
  ['without quotes, as a variable', `${PRINT} $FILE`],
  ['without quotes, as a variable in braces', `${PRINT} \${FILE}`],
  ['in double quotes', `${PRINT} "{path}"`],
  ['in single quotes', `${PRINT} '{path}'`],
  ['after escaped quotes', `true \\" \\'; ${PRINT} {path}`],
  ['in a single-quoted script', `sh -c '${PRINT_IN_SCRIPT} {path}'`],
  ['in double quotes in a single-quoted script', `sh -c '${PRINT_IN_SCRIPT} "{path}"'`],
  ['in a double-quoted script', `sh -c "${PRINT} {path}"`],
  ['in single quotes in a double-quoted script', `sh -c "${PRINT} '{path}'"`],
  ['in double quotes in a double-quoted script', `sh -c "${PRINT} \\"{path}\\""`],
  ['in a script after options of the shell', `/bin/sh -e -u -c '${PRINT_IN_SCRIPT} {path}'`],
  ['in a substitution', `${PRINT} "$(printf %s {path})"`],
  ['in double quotes in a substitution', `${PRINT} "$(printf %s "{path}")"`],
  ['in single quotes in a substitution', `${PRINT} "$(printf %s '{path}')"`],
  ['in a substitution after other substitutions', `${PRINT} "$(: $(:))$(:)$(printf %s "{path}")"`],
  ['in a substitution in a script', `sh -c '${PRINT_IN_SCRIPT} "$(printf %s "{path}")"'`],
  ['after -c of a command other than sh, in double quotes', `print() { ${PRINT} "$2"; }; print -c "{path}"`],
  ['after -c of a command other than sh, in single quotes', `print() { ${PRINT} "$2"; }; print -c '{path}'`],
])('a placeholder %s becomes the path, even a path with special characters: %s', (_, command) => {
  const { script, isGuess } = readCommand(command, project)
  expect(isGuess).toBe(false)
  for (const path of HOSTILE_PATHS) {
    const env = { ...process.env, FILE: path }
    const printed = execFileSync('sh', ['-c', String(script)], { env, encoding: 'utf8' })
    expect(printed.replaceAll('\0', '')).toBe(path)
  }
})

test.each([
  ['$FILENAME {paths}', 'echo $FILENAME {paths}'],
  ['an escaped $FILE', "echo '$HOME' \\$FILE"],
])('%s is no placeholder: %s', (_, command) => {
  expect(readCommand(command, project)).toMatchObject({ script: command, isGuess: true })
})

test.each<[path: string, globs: Record<string, string>, command: string | null]>([
  ['src/.hidden/.a.ts', { '*.ts': 'one' }, 'one'],
  ['src/a.ts', { 'src/*.ts': 'one', '*.ts': 'two' }, 'one'],
  ['src/a.ts', { '*.ts': 'two', 'src/*.ts': 'one' }, 'two'],
  ['src/deep/a.ts', { './src/**/*.ts': 'one' }, 'one'],
  ['cafe\u0301/a.ts', { 'café/*.ts': 'one' }, 'one'],
  ['café/a.ts', { 'cafe\u0301/*.ts': 'one' }, 'one'],
  ['app/[id]/a.ts', { 'app/[id]/*.ts': 'one' }, 'one'],
  ['app/i/a.ts', { 'app/[id]/*.ts': 'one' }, 'one'],
  ['app/id/a.ts', { 'app/[id]/*.ts': 'one' }, null],
  ['app/[[...slug]].tsx', { 'app/[[...slug]].{js,tsx}': 'one' }, 'one'],
  ['app/[id].ts', { 'app/\\[id\\].ts': 'one' }, 'one'],
  ['app/i.ts', { 'app/\\[id\\].ts': 'one' }, null],
  ['../b/a.ts', { 'b/*.ts': 'one' }, 'one'],
  ['../c/a.ts', { 'b/*.ts': 'one' }, null],
  ['../../outside/a.ts', { '*.ts': 'one', '**/*.ts': 'two' }, null],
])('the file %s, with the globs %j, is formatted by %s', (path, globs, command) => {
  const commandOf = readCommands(globs, { directory: '/w/p', worktree: '/w' })
  expect(commandOf(resolve('/w/p', path))?.text ?? null).toBe(command)
})
