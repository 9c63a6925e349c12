// Stands for a formatter: removes trailing spaces.
import { readFileSync, writeFileSync } from 'node:fs'

const path = process.argv[2]
writeFileSync(path, readFileSync(path, 'utf8').replace(/[ \t]+$/gm, ''))
