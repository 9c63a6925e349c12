/** SAT's version, the same as in package.json, which a test compares: a bundle does not hold that file. */
export const VERSION = '0.3.0'
