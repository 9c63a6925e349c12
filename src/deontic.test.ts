import { expect, test } from 'bun:test'
import { toParsedRule as rule } from '../test/parsed-rule.ts'
import { strengthFault, surfaceForm } from './deontic.ts'
import { STRENGTHS } from './rule-schema.ts'

type Phrasings = { parsed: string; right: Array<string>; wrong: Array<string> }

const TABLE: Array<Phrasings> = [
  {
    parsed: 'forbidden, use, non-null assertions',
    right: [
      'Rule: do not use non-null assertions\nReason: Use narrowing type guards instead.',
      "- don't use non-null assertions",
      '- don’t use non-null assertions',
      '- dont use non-null assertions',
      'Rule: never use non-null assertions',
      'Rule: Avoid non-null assertions',
      'Rule: avoid using non-null assertions, narrow the type',
      'Rule: refrain from non-null assertions',
      'Rule: refrain from using non-null assertions',
      'Rule: you must not use non-null assertions',
      'Rule: you mustn’t use non-null assertions',
      'Rule: you may not use non-null assertions',
      'Rule: you cannot use non-null assertions',
      "Rule: you can't use non-null assertions",
      'Rule: you should not use non-null assertions',
      "Rule: you shouldn't use non-null assertions",
      'Rule: non-null assertions must not be used',
      'Rule: non-null assertions are forbidden',
      'Rule: non-null assertions are not allowed',
      "Rule: non-null assertions aren't permitted",
      'Rule: non-null assertions are strictly prohibited',
      'Rule: non-null assertions should be avoided',
      'Rule: non-null assertions are to be avoided at all costs',
      'Rule: non-null assertions are banned',
      'Rule: non-null assertions are off limits',
      'Rule: non-null assertions: never',
      'Rule: no non-null assertions',
      'Rule: there must be no non-null assertions',
      'Rule: no longer use non-null assertions',
      'Rule: stop using non-null assertions',
      'Rule: under no circumstances use non-null assertions',
      'Rule: do not, under any circumstances, use non-null assertions',
      'Rule: narrow the type instead of using non-null assertions',
      'Rule: use narrowing type guards rather than non-null assertions',
      'Rule: use type guards, not non-null assertions',
      'Rule: instead of non-null assertions, use type guards',
      'Rule: write code without non-null assertions',
      'Rule: keep the code free of non-null assertions',
      'Rule: stay away from non-null assertions',
      'Rule: steer clear of non-null assertions',
      'Rule: replace non-null assertions with type guards',
      'Rule: eliminate non-null assertions',
      'Rule: NEVER use non-null assertions',
      '**Rule:** do **not** use non-null assertions',
      '3. do not use non-null assertions',
      '- [ ] do not use `non-null assertions`',
      '❌ non-null assertions',
      'Rule: in TypeScript, do not use non-null assertions',
      'Rule: when narrowing is possible, never use non-null assertions',
      'Rule: the use of non-null assertions is disallowed',
    ],
    wrong: [
      'Rule: use non-null assertions\nReason: Use narrowing type guards instead.',
      'Rule: use non-null assertions\nReason: do not narrow by hand.',
      '- use non-null assertions',
      'Rule: always use non-null assertions',
      'Rule: you may use non-null assertions',
      'Rule: ideally use non-null assertions',
      'Rule: use non-null assertions instead of type guards',
      'Rule: use non-null assertions, not type guards',
      'Rule: do not avoid non-null assertions',
      'Rule: you need not use non-null assertions',
      'Rule: prefer non-null assertions without type guards',
      'Rule: use narrowing type guards',
      'Rule: non-null assertions should be used if a value is not known',
      'Rule: optionally avoid non-null assertions',
      'Rule: use non-null assertions only',
    ],
  },
  {
    parsed: 'obligatory, use, early returns over if-else statements',
    right: [
      'Rule: use early returns over if-else statements\nReason: Do not nest.',
      'Rule: always use early returns over if-else statements',
      'Rule: use early returns instead of if-else statements',
      'Rule: use early returns, not if-else statements',
      'Rule: use early returns and avoid if-else statements',
      'Rule: prefer early returns over if-else statements',
      'Rule: you must use early returns',
      'Rule: early returns must be used',
      'Rule: return early; do not nest if-else statements',
      'Rule: to avoid nesting, use early returns',
      'Rule: to avoid nesting, early returns should be used',
      'Rule: use early returns to avoid nesting',
      'Rule: never forget to use early returns',
      'Rule: do not hesitate to use early returns',
      'Rule: use early returns because nesting is not readable',
      'Rule: if a branch does not continue, use early returns',
      'Rule: use early returns without exception',
      'Rule: instead of if-else statements, use early returns',
      'Rule: rather than if-else statements use early returns',
      'Rule: use early returns (no if-else statements)',
      'Rule: use early returns not only in functions but everywhere',
      'Rule: replace if-else statements with early returns',
    ],
    wrong: [
      'Rule: do not use early returns over if-else statements',
      'Rule: avoid early returns',
      'Rule: never use early returns',
      'Rule: use if-else statements instead of early returns',
      'Rule: early returns are not allowed',
      'Rule: early returns must not be used',
      'Rule: you may use early returns',
      'Rule: optionally use early returns over if-else statements',
      'Rule: ideally use early returns',
      'Rule: feel free to use early returns',
      'Rule: you need not use early returns',
      'Rule: early returns are not required',
      "Rule: don't nest deeply",
    ],
  },
  {
    parsed: 'obligatory, avoid, nesting',
    right: [
      'Rule: avoid nesting',
      'Rule: avoid deep nesting of callbacks',
      'Rule: do not nest',
      'Rule: never nest callbacks',
      'Rule: write code without nesting',
      'Rule: nesting must be avoided',
    ],
    wrong: [
      'Rule: use nesting',
      'Rule: nest callbacks',
      'Rule: do not avoid nesting',
      'Rule: optionally avoid nesting',
    ],
  },
  {
    parsed: 'obligatory, ensure, no warnings in the build',
    right: [
      'Rule: ensure no warnings in the build',
      'Rule: make sure that there are no warnings in the build',
      'Rule: the build must be free of warnings',
      'Rule: the build must not have warnings',
    ],
    wrong: ['Rule: ensure warnings in the build', 'Rule: allow warnings in the build'],
  },
  {
    parsed: 'obligatory, run, tests before committing',
    right: [
      'Rule: run tests before committing',
      'Rule: never commit without running tests',
      'Rule: do not skip tests before committing',
      'Rule: never leave code untested',
      'Rule: do not commit until you run the tests',
    ],
    wrong: ['Rule: do not run tests before committing', 'Rule: skip tests before committing'],
  },
  {
    parsed: 'forbidden, skip, tests',
    right: [
      'Rule: do not skip tests',
      'Rule: never skip a test',
      'Rule: tests must not be skipped',
      'Rule: no skipped tests',
    ],
    wrong: ['Rule: skip tests', 'Rule: tests may be skipped', 'Rule: run all tests'],
  },
  {
    parsed: 'forbidden, commit, code without tests',
    right: [
      'Rule: do not commit code without tests',
      'Rule: never commit untested code',
      'Rule: code without tests must not be committed',
    ],
    wrong: ['Rule: commit code without tests', 'Rule: always commit code without tests'],
  },
  {
    parsed: 'forbidden, avoid, default exports',
    right: ['Rule: avoid default exports', 'Rule: do not use default exports'],
    wrong: ['Rule: use default exports'],
  },
  {
    parsed: 'forbidden, use, ternaries, unless used for simple const or object assignment',
    right: [
      'Rule: do not use ternaries unless used for simple const or object assignment',
      'Rule: use ternaries only for simple const or object assignment',
      'Rule: avoid ternaries, except for simple assignments',
      'Rule: unless it is a simple assignment, do not use ternaries',
    ],
    wrong: ['Rule: use ternaries unless used for simple const or object assignment'],
  },
  {
    parsed: 'forbidden, use, var',
    right: [
      'use let, do not use var',
      'use const or let instead of var',
      'use let; never var',
      'var is forbidden',
      '`var` has no place here',
      "we don't use var anymore",
      'use neither var nor with',
      'do not declare variables with var or with',
    ],
    wrong: [
      'use var',
      'use var instead of let',
      'do not use let, use var',
      'use var; it is not slow',
      'var is fine',
    ],
  },
  {
    parsed: 'forbidden, commit, secrets',
    right: [
      'never commit secrets',
      'secrets must never be committed',
      'keep secrets out of the repository',
      'do not commit or push secrets',
      'do not add, commit, or push secrets',
    ],
    wrong: ['commit secrets', 'secrets must be committed', 'commit secrets without asking'],
  },
  {
    parsed: 'forbidden, leave, unused imports',
    right: [
      'remove unused imports',
      'do not leave unused imports',
      'no unused imports',
      'unused imports must be removed',
    ],
    wrong: ['leave unused imports', 'keep unused imports'],
  },
  {
    parsed: 'obligatory, write, functions that do not mutate their arguments',
    right: [
      'write functions that do not mutate their arguments',
      'functions must not mutate their arguments',
      'write functions without mutating arguments',
    ],
    wrong: ['do not write functions that do not mutate their arguments'],
  },
  {
    parsed: 'obligatory, limit, functions to three parameters',
    right: [
      'limit functions to three parameters',
      'functions take no more than three parameters',
      'give functions at most three parameters',
    ],
    wrong: ['do not limit functions to three parameters'],
  },
  {
    parsed: 'obligatory, use, strict mode, when the target is not ES modules',
    right: [
      'use strict mode when the target is not ES modules',
      'if the target is not ES modules, use strict mode',
      'files may not be without strict mode',
    ],
    wrong: ['do not use strict mode when the target is not ES modules', 'you can use strict mode'],
  },
  {
    parsed: 'permissible, use, type assertions, when necessary',
    right: [
      'may use type assertions when necessary',
      'You may use type assertions when necessary',
      'type assertions are allowed when necessary',
      'it is OK to use type assertions',
      'feel free to use type assertions',
      'you can use type assertions where narrowing is not possible',
      'type assertions are acceptable',
    ],
    wrong: [
      'use type assertions when necessary',
      'do not use type assertions',
      'you may not use type assertions',
      'you must use type assertions',
      'never use type assertions',
    ],
  },
  {
    parsed: 'optional, include, context',
    right: [
      'optionally include context',
      'include context (optional)',
      'include context if you like',
      'you may include context',
    ],
    wrong: ['include context', 'do not include context', 'always include context'],
  },
  {
    parsed: 'supererogatory, document, all public APIs',
    right: [
      'ideally document all public APIs',
      'Ideally, document all public APIs',
      'document all public APIs where possible',
      'preferably document public APIs',
      'try to document all public APIs',
      'documenting public APIs is encouraged',
      'it would be nice to document public APIs',
    ],
    wrong: ['document all public APIs', 'do not document public APIs', 'ideally do not document public APIs'],
  },
  {
    parsed: 'indifferent, use, tabs or spaces',
    right: [
      'either use tabs or spaces or not',
      'it does not matter whether you use tabs or spaces',
      "it doesn't matter if tabs or spaces are used",
      'tabs or spaces: either is fine',
      'no preference between tabs and spaces',
      'use tabs or spaces, whichever you prefer',
    ],
    wrong: ['use tabs', 'never use spaces'],
  },
  {
    parsed: 'omissible, write, changelog entries',
    right: [
      'need not write changelog entries',
      "you don't need to write changelog entries",
      'you do not have to write changelog entries',
      'changelog entries are not required',
      'changelog entries can be left out',
      'you may skip changelog entries',
      'there is no need to write changelog entries',
      'writing changelog entries is optional',
    ],
    wrong: ['write changelog entries', 'do not write changelog entries', 'never write changelog entries'],
  },
  {
    parsed: 'forbidden, verwenden, var',
    right: ['verwende kein var', 'var nicht verwenden', 'не используйте var'],
    wrong: ['verwende var'],
  },
  {
    parsed: 'forbidden, use, any',
    right: ['Do not use `any`; prefer `unknown`.'],
    wrong: [],
  },
  {
    parsed: 'forbidden, use, any type',
    right: ['Prefer unknown over any; never use any.'],
    wrong: [],
  },
  {
    parsed: 'forbidden, mutate, state directly',
    right: [
      'never mutate state directly; always create a copy',
      'State should not be mutated directly',
      'treat state as read-only and never change it directly',
    ],
    wrong: [
      'mutate state directly; never create a copy',
      'always mutate state directly, do not create a copy',
    ],
  },
  {
    parsed: 'forbidden, add, comments',
    right: [
      'write self-explanatory code without comments',
      'Comments are unwelcome unless asked for; do not add them',
    ],
    wrong: [],
  },
  {
    parsed: 'forbidden, log, sensitive data',
    right: [
      'Sensitive data must never appear in logs',
      'Make sure sensitive data is not logged',
      'Ensure that no sensitive data is logged',
    ],
    wrong: ['Make sure sensitive data is logged'],
  },
  {
    parsed: 'forbidden, use, console.log',
    right: ['Use the logger, never console.log', 'Use the logger in place of console.log'],
    wrong: [],
  },
  {
    parsed: 'forbidden, use, console.log in production code',
    right: ['Production code must not contain console.log'],
    wrong: ['Production code must contain console.log'],
  },
  {
    parsed: 'forbidden, create, files larger than 300 lines',
    right: [
      'no file may exceed 300 lines',
      'Files must not be larger than 300 lines',
      'keep files at most 300 lines',
    ],
    wrong: [],
  },
  {
    parsed: 'forbidden, push, to main',
    right: ['Never push directly to main', 'Direct pushes to main are prohibited'],
    wrong: ['Push directly to main'],
  },
  {
    parsed: 'forbidden, edit, generated files',
    right: [
      'Generated files must be left untouched; do not edit them',
      'Leave generated files alone, never edit them',
      'generated files are not to be edited',
    ],
    wrong: [],
  },
  {
    parsed: 'forbidden, swallow, errors',
    right: [
      'Errors must not be silently swallowed',
      'Handle errors explicitly, without swallowing them',
      'never catch an error without handling it',
    ],
    wrong: [],
  },
  {
    parsed: 'forbidden, use, magic numbers',
    right: ['Extract magic numbers into constants instead of using them inline'],
    wrong: [],
  },
  {
    parsed: 'forbidden, use, emojis in commits',
    right: ['Commit messages contain no emojis', 'Commit messages do not contain emojis'],
    wrong: ['Commit messages contain emojis'],
  },
  {
    parsed: 'forbidden, import, from parent packages',
    right: [
      'You are not allowed to import from parent packages',
      'it is forbidden to import from parent packages',
      'Importing from parent packages is not permitted',
      'Nobody imports from parent packages',
    ],
    wrong: [],
  },
  {
    parsed: 'forbidden, disable, lint rules',
    right: ['Do not disable lint rules', 'lint rules must never be disabled'],
    wrong: ['disable lint rules'],
  },
  {
    parsed: 'forbidden, use, default exports',
    right: [
      'use named exports only, no default exports',
      'use named exports, avoiding default exports',
      'use named exports and not default exports',
      'only use named exports, never default ones',
    ],
    wrong: ['use default exports rather than named exports'],
  },
  {
    parsed: 'forbidden, use, `==`',
    right: ['do not use `==`; use `===`', 'use `===` instead of `==`'],
    wrong: ['use `==`'],
  },
  {
    parsed: 'forbidden, use, class components',
    right: ['Refrain from class components; function components with hooks are used'],
    wrong: [],
  },
  {
    parsed: 'forbidden, write, tests that depend on each other',
    right: ['Tests must not depend on each other'],
    wrong: ['Tests must depend on each other'],
  },
  {
    parsed: 'forbidden, deploy, on Fridays',
    right: ['no deploys on Fridays', 'Deploy Monday to Thursday, never on Fridays'],
    wrong: [],
  },
  {
    parsed: 'forbidden, exceed, 100 characters per line',
    right: [
      'lines must not exceed 100 characters',
      'do not write lines longer than 100 characters',
      'limit lines to at most 100 characters',
    ],
    wrong: ['lines must exceed 100 characters'],
  },
  {
    parsed: 'obligatory, keep, lines under 100 characters',
    right: ['lines must not exceed 100 characters', 'keep lines under 100 characters'],
    wrong: ['do not keep lines under 100 characters'],
  },
  {
    parsed: 'obligatory, handle, all errors',
    right: [
      'do not leave errors unhandled',
      'never ignore errors, handle them',
      'handle every error; never swallow one',
      'no error goes unhandled',
    ],
    wrong: [],
  },
  {
    parsed: 'obligatory, use, const',
    right: [
      'use const unless the variable is not constant',
      'use const, never let or var',
      'Default to const; only use let when needed, do not use var',
      'do not use var, use const',
      'do not use var but const',
      'do not use var. Use const instead.',
      'avoid var and use const',
      'stop using var and use const',
    ],
    wrong: ['do not use const', 'const is not to be used'],
  },
  {
    parsed: 'obligatory, validate, user input',
    right: [
      'user input must be validated',
      'never trust user input without validating it',
      'do not accept unvalidated user input',
      'validate user input. Do not trust it.',
    ],
    wrong: [],
  },
  {
    parsed: 'obligatory, remove, dead code',
    right: [
      'remove dead code',
      'do not leave dead code behind',
      'delete dead code instead of commenting it out',
    ],
    wrong: ['do not remove dead code', 'keep dead code'],
  },
  {
    parsed: 'obligatory, ask, before deleting files',
    right: [
      'never delete files without asking',
      'ask before deleting files',
      'do not delete files unless you asked first',
    ],
    wrong: ['do not ask before deleting files'],
  },
  {
    parsed: 'obligatory, write, tests for every bug fix',
    right: ['every bug fix needs a test', 'no bug fix without a test'],
    wrong: [],
  },
  {
    parsed: 'obligatory, use, pnpm',
    right: [
      'use pnpm, not npm or yarn',
      'pnpm is used rather than npm',
      'only pnpm is allowed',
      'no other package manager than pnpm may be used',
      'You can only use pnpm',
    ],
    wrong: [],
  },
  {
    parsed: 'obligatory, use, pnpm not npm',
    right: ['use pnpm instead of npm'],
    wrong: [],
  },
  {
    parsed: 'obligatory, use, pnpm instead of npm',
    right: ['use pnpm, not npm', 'do not use npm; use pnpm'],
    wrong: [],
  },
  {
    parsed: 'obligatory, do not use, npm',
    right: ['do not use npm'],
    wrong: ['use npm'],
  },
  {
    parsed: 'forbidden, do not use, npm',
    right: ['do not use npm'],
    wrong: ['use npm'],
  },
  {
    parsed: 'obligatory, never use, npm',
    right: ['never use npm'],
    wrong: [],
  },
  {
    parsed: 'obligatory, be, concise',
    right: ['be concise'],
    wrong: [],
  },
  {
    parsed: 'obligatory, prefer, composition over inheritance',
    right: ['prefer composition over inheritance', 'favor composition instead of inheritance'],
    wrong: [],
  },
  {
    parsed: 'obligatory, use, optional chaining',
    right: ['use optional chaining'],
    wrong: [],
  },
  {
    parsed: 'obligatory, mark, optional parameters with a question mark',
    right: ['mark optional parameters with a question mark'],
    wrong: [],
  },
  {
    parsed: 'obligatory, allow, users to opt out',
    right: ['users may opt out'],
    wrong: [],
  },
  {
    parsed: 'obligatory, use, tabs',
    right: [],
    wrong: ['may use tabs'],
  },
  {
    parsed: 'permissible, use, any in tests',
    right: [
      'any is okay in tests',
      'in tests, any may be used',
      'do not use any, except in tests, where it is allowed',
    ],
    wrong: ['any is not allowed in tests', 'any must be used in tests', "you can't use any in tests"],
  },
  {
    parsed: 'supererogatory, add, examples to docs',
    right: ['docs should ideally have examples', 'it is good practice to add examples to docs'],
    wrong: [],
  },
  {
    parsed: 'optional, add, a changelog',
    right: ['adding a changelog is optional'],
    wrong: [],
  },
  {
    parsed: 'omissible, add, a changelog',
    right: [
      'no need for a changelog',
      'a changelog is not necessary',
      "a changelog isn't needed",
      'you can omit the changelog',
    ],
    wrong: [],
  },
  {
    parsed: 'indifferent, use, single quotes or double quotes',
    right: ['single or double quotes are both fine'],
    wrong: [],
  },
  {
    parsed: 'indifferent, use, semicolons',
    right: [
      'semicolons do not matter',
      'semicolons may or may not be used',
      'use semicolons or not, as you like',
    ],
    wrong: [],
  },
  {
    parsed: 'forbidden, use, eval',
    right: [
      'eval() should never, ever be used',
      "eval is evil; don't",
      'eval and new Function are prohibited',
      'no eval, no new Function',
      'refuse eval',
      'must NOT use eval',
      'do **not** use `eval`',
      'use of eval: not allowed',
      'It is never acceptable to use eval',
      'there is no reason to use eval',
      'parse JSON with JSON.parse as opposed to eval',
      'eval? No.',
      'Not using eval is mandatory',
      'at no point use eval',
      'abstain from eval',
      'never ever use eval',
      'disallow eval',
      'drop eval',
      'beware of eval; never use it',
    ],
    wrong: [
      'beware of eval',
      'prefer JSON.parse over eval',
      'never hesitate to use eval',
      'do not forget to use eval',
      'there is no rule against eval',
      'eval is not forbidden',
      'use eval no matter what',
      'use eval without exception',
      'use eval if nothing else works',
      'use eval not only in tests',
      'if JSON.parse does not work, use eval',
      'use eval, but do not use Function',
      'minimize eval',
      'try to use eval less',
    ],
  },
  {
    parsed: 'obligatory, write, commit messages in the imperative mood',
    right: ['write commit messages in the imperative mood, without a trailing period'],
    wrong: [],
  },
  {
    parsed: 'obligatory, use, named exports',
    right: [
      'use named exports; default exports are forbidden',
      'Default exports are forbidden; use named exports',
    ],
    wrong: [],
  },
  {
    parsed: 'obligatory, handle, promise rejections',
    right: [
      'handle promise rejections, never leave them floating',
      'never leave promise rejections unhandled',
      'no unhandled promise rejections',
    ],
    wrong: [],
  },
  {
    parsed: 'obligatory, keep, functions small',
    right: ['keep functions small; no function should exceed 40 lines'],
    wrong: [],
  },
  {
    parsed: 'obligatory, use, TypeScript strict mode',
    right: [
      'TypeScript strict mode is mandatory and must not be turned off',
      'Never turn off TypeScript strict mode',
    ],
    wrong: [],
  },
  {
    parsed: 'obligatory, use, absolute imports',
    right: ['use absolute imports, relative imports are not allowed'],
    wrong: [],
  },
  {
    parsed: 'obligatory, pin, dependency versions',
    right: [
      'pin dependency versions exactly (no ^ or ~)',
      'dependency versions must be pinned, never use ranges',
    ],
    wrong: [],
  },
  {
    parsed: 'obligatory, check, return values',
    right: ['do not ignore return values', 'return values must not go unchecked'],
    wrong: [],
  },
  {
    parsed: 'obligatory, use, HTTPS',
    right: ['do not use HTTP; use HTTPS', 'use HTTPS instead of HTTP'],
    wrong: ['use HTTP instead of HTTPS', 'do not use HTTPS; use HTTP'],
  },
  {
    parsed: 'obligatory, avoid, using var',
    right: ['use let or const instead of var', 'do not use var'],
    wrong: ['use var', 'use var instead of let'],
  },
  {
    parsed: 'obligatory, ensure, all promises are awaited',
    right: ['never leave a promise unawaited', 'no promise may go unawaited'],
    wrong: ['leave promises unawaited', 'ensure no promises are awaited'],
  },
  {
    parsed: 'obligatory, wrap, database writes in a transaction',
    right: [
      'never write to the database outside a transaction',
      'no database writes outside of a transaction',
    ],
    wrong: ['never wrap database writes in a transaction', 'do not wrap database writes'],
  },
  {
    parsed: 'obligatory, disable, telemetry',
    right: ['turn telemetry off', 'do not enable telemetry'],
    wrong: ['do not turn telemetry off', 'do not disable telemetry'],
  },
  {
    parsed: 'forbidden, merge, before CI is green',
    right: ['merge only once CI is green; do not merge before', 'never merge until CI is green'],
    wrong: ['merge before CI is green'],
  },
  {
    parsed: 'obligatory, close, file handles',
    right: ['do not forget to close file handles'],
    wrong: [],
  },
  {
    parsed: 'obligatory, prefer, early returns',
    right: ['prefer early returns to nested conditionals'],
    wrong: [],
  },
  {
    parsed: 'obligatory, use, type-only imports',
    right: [
      'use `import type` for types that are not needed at run time',
      'use type-only imports where no value is needed',
    ],
    wrong: [],
  },
  {
    parsed: 'obligatory, limit, line length to 100',
    right: ['Lines may not be longer than 100 characters', 'line length must not exceed 100'],
    wrong: [],
  },
  {
    parsed: 'obligatory, minimize, side effects',
    right: ['minimize side effects'],
    wrong: [],
  },
  {
    parsed: 'obligatory, avoid, side effects in reducers',
    right: ['reducers must be free of side effects', 'reducers have no side effects'],
    wrong: [],
  },
  {
    parsed: 'obligatory, treat, warnings as errors',
    right: ['treat warnings as errors', 'treat warnings as errors and do not suppress them'],
    wrong: [],
  },
  {
    parsed: 'obligatory, fail, the build on lint errors',
    right: ['fail the build on lint errors'],
    wrong: [],
  },
  {
    parsed: 'obligatory, reject, invalid input',
    right: ['reject invalid input', 'do not accept invalid input'],
    wrong: [],
  },
  {
    parsed: 'obligatory, keep, secrets in environment variables',
    right: [
      'keep secrets in environment variables, not in code',
      'store secrets in environment variables instead of the code',
    ],
    wrong: [],
  },
  {
    parsed: 'obligatory, skip, CI for docs',
    right: ['skip CI for docs', 'CI must be skipped for docs'],
    wrong: [],
  },
  {
    parsed: 'obligatory, use, React hooks only at the top level',
    right: [
      'only call React hooks at the top level, not inside conditions',
      'use React hooks only at the top level; never call them in loops',
    ],
    wrong: [],
  },
  {
    parsed: 'obligatory, respond, in the language of the user',
    right: ['respond in the language of the user, even when the code is not'],
    wrong: [],
  },
  {
    parsed: 'obligatory, stop, when unsure',
    right: ['stop when unsure', 'when unsure, stop and do not continue'],
    wrong: [],
  },
  {
    parsed: 'obligatory, use, null instead of undefined',
    right: ['use null, not undefined', 'never use undefined; use null'],
    wrong: [],
  },
  {
    parsed: 'obligatory, return, errors',
    right: ['return errors; do not throw them', 'never throw errors, return them'],
    wrong: [],
  },
  {
    parsed: 'obligatory, run, the linter before pushing',
    right: ['never push without running the linter', 'before pushing, run the linter'],
    wrong: [],
  },
  {
    parsed: 'obligatory, document, breaking changes',
    right: ['no breaking change without documentation', 'document breaking changes'],
    wrong: [],
  },
  {
    parsed: 'obligatory, add, types to all parameters',
    right: ['no parameter without a type', 'untyped parameters are not allowed'],
    wrong: [],
  },
  {
    parsed: 'obligatory, use, 2-space indentation',
    right: ['indent with two spaces, never tabs', 'use 2-space indentation'],
    wrong: [],
  },
  {
    parsed: 'forbidden, introduce, new dependencies without approval',
    right: [
      'do not introduce new dependencies without approval',
      'no new dependencies without approval',
      'never add dependencies unless they were approved',
      'new dependencies may not be introduced without approval',
    ],
    wrong: ['introduce new dependencies without approval'],
  },
  {
    parsed: 'forbidden, use, inline styles',
    right: [
      'styles go into CSS modules, never inline',
      'Do NOT use inline styles!',
      'inline styles aren’t allowed',
      'nobody should use inline styles',
      'there should not be any inline styles',
      'do not rely on inline styles',
      'don’t ever use inline styles',
      'avoid the use of inline styles',
      'you are prohibited from using inline styles',
      'inline styles must be avoided',
      'it is not allowed to use inline styles',
    ],
    wrong: [],
  },
  {
    parsed: 'forbidden, modify, files in vendor/',
    right: [
      'files in vendor/ must stay unmodified',
      'do not touch files in vendor/',
      'leave files in vendor/ unmodified',
    ],
    wrong: [],
  },
  {
    parsed: 'forbidden, amend, published commits',
    right: [
      'never amend or force-push published commits',
      'once commits are published, do not amend them',
      'published commits are never amended',
    ],
    wrong: ['amend published commits', 'once commits are published, amend them'],
  },
  {
    parsed: 'forbidden, guess, API signatures',
    right: [
      'look up API signatures rather than guessing',
      'never guess API signatures; look them up',
      'API signatures must be looked up, not guessed',
    ],
    wrong: ['guess API signatures'],
  },
  {
    parsed: 'forbidden, store, passwords in plain text',
    right: [
      'passwords must never be stored in plain text',
      'hash passwords; do not store them in plain text',
    ],
    wrong: [],
  },
  {
    parsed: 'forbidden, block, the event loop',
    right: ['do not block the event loop'],
    wrong: ['block the event loop'],
  },
  {
    parsed: 'forbidden, use, abbreviations in names',
    right: ['spell names out, no abbreviations'],
    wrong: [],
  },
  {
    parsed: 'forbidden, use, `let` when `const` works',
    right: ['do not use `let` when `const` works'],
    wrong: ['use `let` when `const` works'],
  },
  {
    parsed: 'forbidden, use, any',
    right: ['no `any`'],
    wrong: ['use any'],
  },
  {
    parsed: 'permissible, skip, tests for prototypes',
    right: ['tests may be skipped for prototypes', 'prototypes do not need tests'],
    wrong: [],
  },
  {
    parsed: 'permissible, use, console.log in scripts',
    right: [
      'console.log is fine in scripts',
      'console.log is permitted in scripts but not elsewhere',
      'scripts can use console.log',
    ],
    wrong: [],
  },
  {
    parsed: 'optional, squash, commits',
    right: [
      'squash commits if you like',
      'commits may optionally be squashed',
      'squashing commits is not required',
    ],
    wrong: [],
  },
  {
    parsed: 'supererogatory, benchmark, hot paths',
    right: [
      'ideally, hot paths are benchmarked',
      'benchmarking hot paths is appreciated',
      'benchmark hot paths when possible',
      'benchmark hot paths whenever you can',
      'it is good to benchmark hot paths',
    ],
    wrong: [],
  },
  {
    parsed: 'omissible, document, private functions',
    right: [
      'private functions do not have to be documented',
      'documentation of private functions may be omitted',
      'private functions need no documentation',
      'private functions can stay undocumented',
    ],
    wrong: [],
  },
  {
    parsed: 'indifferent, order, imports',
    right: [
      'the order of imports does not matter',
      'imports in any order',
      'there is no required order of imports',
    ],
    wrong: [],
  },
  {
    parsed: 'obligatory, keep, functions small',
    right: ['functions must not grow large', 'do not let functions grow large', 'small functions only'],
    wrong: ['do not keep functions small', 'functions must not be small', 'avoid small functions'],
  },
  {
    parsed: 'obligatory, close, file handles',
    right: ['file handles must not be left open', 'no file handle stays open', 'close file handles'],
    wrong: [
      'file handles must not be closed',
      'do not close open file handles',
      'file handles may be closed',
    ],
  },
  {
    parsed: 'obligatory, run, the linter, before pushing',
    right: [
      'do not push before the linter has run',
      'never push without running the linter',
      'no push before the linter has run',
    ],
    wrong: ['do not run the linter before pushing', 'the linter may be run before pushing'],
  },
  {
    parsed: 'obligatory, spell out, names',
    right: ['names are spelled out and not abbreviated', 'do not abbreviate names'],
    wrong: ['names must not be spelled out', 'do not spell out names'],
  },
  {
    parsed: 'obligatory, prefer, composition over inheritance',
    right: ['favor composition over inheritance', 'composition is preferred over inheritance'],
    wrong: ['prefer inheritance over composition', 'use inheritance instead of composition'],
  },
  {
    parsed: 'obligatory, respond, in English',
    right: [
      'do not respond in any language other than English',
      'never respond in another language than English',
    ],
    wrong: ['never respond in English'],
  },
  {
    parsed: 'obligatory, limit, lines to 100 characters',
    right: ['no line may be longer than 100 characters', 'do not write lines longer than 100 characters'],
    wrong: ['do not limit lines to 100 characters', 'lines may exceed 100 characters'],
  },
  {
    parsed: 'obligatory, validate, user input',
    right: ['do not trust user input without validation', 'do not process user input before validating it'],
    wrong: ['trust user input; do not validate it', 'never validate user input'],
  },
  {
    parsed: 'obligatory, write, tests first',
    right: ['do not write code before its test', 'tests must be written first'],
    wrong: ['tests may be written first', 'tests must not be written first'],
  },
  {
    parsed: 'forbidden, use, any',
    right: ['prefer unknown over any', 'use unknown over any'],
    wrong: ['prefer any over unknown'],
  },
  {
    parsed: 'forbidden, log, secrets or tokens',
    right: [
      'redact secrets and tokens before logging; never log them raw',
      'take secrets and tokens out before logging. Do not log them.',
    ],
    wrong: ['log secrets and tokens, do not redact them'],
  },
  {
    parsed: 'forbidden, edit, generated files',
    right: ['leave generated files alone', 'generated files are read-only', 'hands off generated files'],
    wrong: ['edit generated files', 'generated files may be edited'],
  },
  {
    parsed: 'forbidden, add, dependencies, without approval',
    right: ['only add dependencies with approval', 'new dependencies require approval'],
    wrong: [
      'add dependencies without approval',
      'dependencies can be added without approval',
      'new dependencies require no approval',
    ],
  },
  {
    parsed: 'forbidden, swallow, errors',
    right: ['errors are never silently ignored', 'do not ignore errors', 'handle errors, never ignore them'],
    wrong: ['ignore errors', 'suppress errors'],
  },
  {
    parsed: 'forbidden, skip, tests',
    right: ['do not disable or skip tests', 'never skip, disable or delete tests'],
    wrong: ['disable or skip tests'],
  },
  {
    parsed: 'forbidden, call, hooks conditionally',
    right: ['always call hooks at the top level, never conditionally', 'hooks are called unconditionally'],
    wrong: ['hooks are called conditionally'],
  },
  {
    parsed: 'forbidden, commit, directly to main',
    right: ['no direct commits to main', 'no direct commits to main, use branches'],
    wrong: ['direct commits to main are fine'],
  },
  {
    parsed: 'forbidden, expose, stack traces to users',
    right: ['never show stack traces to users'],
    wrong: ['never hide stack traces from users'],
  },
  {
    parsed: 'permissible, skip, the type check, for prototypes',
    right: ['the type check may be skipped for prototypes', 'prototypes can skip the type check'],
    wrong: ['skip the type check for prototypes', 'never skip the type check'],
  },
  {
    parsed: 'permissible, use, optional chaining',
    right: ['may use optional chaining', 'optional chaining is optional'],
    wrong: [
      'use optional chaining',
      'always use optional chaining',
      'do not use optional chaining if you can avoid it',
    ],
  },
  {
    parsed: 'omissible, add, JSDoc',
    right: ['internal functions do not require JSDoc', 'no JSDoc is needed', 'no JSDoc required'],
    wrong: ['add JSDoc', 'never add JSDoc'],
  },
  {
    parsed: 'supererogatory, document, public APIs',
    right: ['documentation of public APIs is a plus'],
    wrong: ['public APIs must be documented'],
  },
]

const RIGHT = TABLE.flatMap(({ parsed, right }) => right.map((formatted) => ({ parsed, formatted })))
const WRONG = TABLE.flatMap(({ parsed, wrong }) => wrong.map((formatted) => ({ parsed, formatted })))

test.each(RIGHT)('$parsed is said by: $formatted', ({ parsed, formatted }) => {
  expect(strengthFault(rule(parsed), formatted)).toBeUndefined()
})

test.each(WRONG)('$parsed is not said by: $formatted', ({ parsed, formatted }) => {
  expect(strengthFault(rule(parsed), formatted)).toBeString()
})

const ORDERS = [
  'use, tabs',
  'avoid, deep nesting',
  'remove, unused code',
  'keep, functions without side effects',
  'ensure, no errors',
]

test.each(STRENGTHS.flatMap((strength) => ORDERS.map((order) => `${strength}, ${order}`)))(
  '%s is said by its own surface form',
  (parsed) => {
    expect(strengthFault(rule(parsed), `Rule: ${surfaceForm(rule(parsed))}\nReason: do not ask.`))
      .toBeUndefined()
  },
)

test('a rule of any length is judged at once', () => {
  const long = 'x must not be not is not '.repeat(50_000)
  expect(strengthFault(rule('forbidden, use, x'), long)).toBeUndefined()
})

const PARSED = TABLE.map(({ parsed }) => rule(parsed))

test('a ban without its negation, and an order with one, are never taken', () => {
  for (const { action, target, ...parsed } of PARSED) {
    const said = (negation: string) => `Rule: ${negation}${action} ${target}\nReason: do not ask, never.`
    const isNegative = /\b(?:not|never|avoid|without)\b/.test(action)
    if (isNegative) continue
    expect([action, target, strengthFault({ ...parsed, action, target, strength: 'forbidden' }, said(''))])
      .toContainEqual(
        expect.stringContaining('negation'),
      )
    expect([
      action,
      target,
      strengthFault({ ...parsed, action, target, strength: 'obligatory' }, said('do not ')),
    ]).toContainEqual(
      expect.stringContaining('negation'),
    )
  }
})
