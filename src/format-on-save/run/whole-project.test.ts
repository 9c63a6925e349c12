import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isWholeProject } from './whole-project.ts'

const directory = mkdtempSync(join(tmpdir(), 'sat-command-'))
mkdirSync(join(directory, 'src'))
writeFileSync(join(directory, 'prettier.config.js'), '')

test.each([
  'prettier --write',
  'taplo format',
  'npx prettier --write',
  'npm exec prettier -- --write',
  'pnpm prettier --write',
  './node_modules/.bin/prettier --write',
  'NODE_ENV=test prettier --config prettier.config.js --write',
  'gofmt -w',
  'eslint --fix',
  'black',
  'poetry run black -q',
  'uv run ruff format',
  'rustfmt --edition 2021',
  'dprint fmt',
  'biome check --write --config-path="./src"',
  "clang-format -i --style='{BasedOnStyle: LLVM}'",
  'sh format.sh',
  'bun run prettier --write',
  'yarn run eslint --fix',
  'deno run -A fmt.ts',
  'stylelint --fix --config-basedir src',
])('gets the path at its end: %s', (command) => {
  expect(isWholeProject(command, directory)).toBe(false)
})

test.each([
  'cargo fmt',
  'cargo +nightly fmt --all',
  'mise exec -- cargo fmt',
  'prettier --write .',
  'black .',
  'prettier --write src',
  'prettier --write "src/**/*.ts"',
  'golangci-lint run --fix ./...',
  'npm run format',
  'npm --silent run format',
  'bun run format',
  'bun run --silent format',
  'deno task fmt',
  'make fmt',
  './gradlew spotlessApply',
  'pre-commit run',
  'cd src && prettier --write',
  'git diff --name-only | xargs prettier --write',
  'prettier --write $(git ls-files)',
])('runs as it stands: %s', (command) => {
  expect(isWholeProject(command, directory)).toBe(true)
})
