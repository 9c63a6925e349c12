/** SAT's version. A test compares it with package.json, which the bundle does not contain. */
export const VERSION = '0.3.0'
