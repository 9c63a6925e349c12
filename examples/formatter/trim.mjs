// Stands in for a real formatter in this example: removes trailing spaces and tabs.
import { readFileSync, writeFileSync } from 'node:fs'

const path = process.argv[2]
writeFileSync(path, readFileSync(path, 'utf8').replace(/[ \t]+$/gm, ''))
