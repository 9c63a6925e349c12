import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../../test/harness/scratch.ts'
import { runsUnchanged, toScript } from './format-command.ts'

const directory = scratchFolder()
for (const name of ['src/a.js', 'prettier.config.js']) writeFileAt(join(directory, name))

const commandsIn = (text: string): Array<string> => text.split(';').map((command) => command.trim())

const PATH_APPENDED = `
  prettier --write; taplo format; npx prettier --write; npm exec prettier -- --write;
  ./node_modules/.bin/prettier --write; NODE_ENV=test prettier --config prettier.config.js --write; eslint --fix;
  poetry run black -q; uv run ruff format; rustfmt --edition 2021; biome check --write --config-path="./src";
  clang-format -i --style='{BasedOnStyle: LLVM}'; sh format.sh; bun run prettier --write; yarn run eslint --fix;
  deno run -A fmt.ts; stylelint --fix --config-basedir src`

// Folders with the names of programs and of their subcommands, as in a formatter's own repository.
const namesakes = scratchFolder()
const NAMESAKES = 'black build check ci dev fix fmt format lint prettier ruff src src/format'
for (const name of NAMESAKES.split(' ')) mkdirSync(join(namesakes, name))

const PROGRAM_NAMED_LIKE_A_FOLDER = `
  ruff format; ruff check --fix; uv run black; uv run --group dev black -q; python -m black; npx @biomejs/biome check;
  npx --yes prettier --write; npm exec prettier -- --write; pnpm exec prettier --write; pnpm prettier --write;
  dprint fmt; swift-format format -i; isort --profile black; vault policy fmt; fix; black --fast; bundle exec fix;
  NODE_ENV=dev prettier --write; stylelint --fix --config-basedir format`

const NAMES_A_FOLDER = `
  ruff format src; ruff format format; ruff format ./format; ruff format format/; ruff format src/format;
  ruff format .; uv run black black; black src black; ruff check ruff --fix; npx prettier src --write;
  npx --yes prettier prettier --write; deno fmt fmt; prettier --write build; fix fix; terraform fmt ../..;
  dart format src check; python -m black src; biome check --write './format'`

const UNCHANGED = `
  cargo fmt; cargo +nightly fmt --all; mise exec -- cargo fmt; prettier --write .; black .;
  prettier --write src; prettier --write "src/**/*.ts"; golangci-lint run --fix ./...;
  npm run format; npm --silent run format; bun run format; bun run --silent format; deno task fmt;
  make fmt; ./gradlew spotlessApply; pre-commit run; cd src && prettier --write;
  git diff --name-only | xargs prettier --write; prettier --write \$(git ls-files)`

test.each([
  ...commandsIn(PATH_APPENDED).map((command) => [command, directory] as const),
  ...commandsIn(PROGRAM_NAMED_LIKE_A_FOLDER).map((command) => [command, namesakes] as const),
])('the path is appended to the command %s in %s', (command, folder) => {
  expect(runsUnchanged(command, folder)).toBe(false)
})

test.each([
  ...commandsIn(UNCHANGED).map((command) => [command, directory] as const),
  ...commandsIn(NAMES_A_FOLDER).map((command) => [command, namesakes] as const),
])('the command %s in %s runs unchanged', (command, folder) => {
  expect(runsUnchanged(command, folder)).toBe(true)
})

const HOSTILE = [
  ...['/p/plain.js', '/p/with space.js', "/p/it's.js", '/p/a "quoted" name.js', '/p/; touch hacked;.js'],
  ...['/p/$(touch hacked).js', '/p/`touch hacked`.js', '/p/$HOME.js', '/p/two\nlines.js', '/p/*.js'],
  ...['/p/back\\slash.js', '/p/{path}.js', '-rf'],
]

const PRINT = "printf '%s\\0'"

// Placeholders without quotes and in each kind of quotes; in a subshell; and in a script for another shell (`sh -c`),
// there also with and without quotes.
const COMMANDS = [
  ...['{path}', '$FILE', '${FILE}', '"{path}"', '"$FILE"', "'{path}'", "'$FILE'"].map((name) =>
    `${PRINT} ${name}`
  ),
  `true \\" \\'; ${PRINT} {path}`,
  `(${PRINT} {path})`,
  `sh -c '${PRINT.replaceAll("'", '"')} {path}'`,
  `sh -c '${PRINT.replaceAll("'", '"')} "{path}"'`,
  `sh -c "${PRINT} {path}"`,
  `sh -c "${PRINT} '{path}'"`,
  `sh -c "${PRINT} \\"{path}\\""`,
]

test.each(COMMANDS)('the shell does not parse a file name: %s', (command) => {
  const { script, namesFile } = toScript(command)
  expect(namesFile).toBe(true)
  for (const path of HOSTILE) {
    const env = { ...process.env, FILE: path }
    expect(execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }).replaceAll('\0', '')).toBe(path)
  }
})

test.each([
  'cargo fmt',
  'echo $FILENAME {paths}',
  "echo '$HOME' \\$FILE",
])('a command without a placeholder stays the same: %s', (command) => {
  expect(toScript(command)).toEqual({ script: command, namesFile: false })
})
