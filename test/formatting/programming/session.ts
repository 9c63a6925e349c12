/**
 * A recorded session: a model that programs a small shop, some calls a message, in its own style. Each edit is
 * written down as the model meant it; its `oldString` is what the model then believes that these words look like.
 */
export type PlannedCall = { file: string; content: string } | { file: string; old: string; now: string }

const write = (file: string, ...lines: Array<string>): PlannedCall => ({
  file,
  content: `${lines.join('\n')}\n`,
})
const edit = (file: string, old: string, now: string): PlannedCall => ({ file, old, now })

export const MESSAGES: Array<Array<PlannedCall>> = [
  [
    write(
      'price.ts',
      'export type Price = {cents:number,currency:string}',
      'export const price = (cents: number, currency = "EUR"): Price => ({cents,currency})',
      'export const add = (a: Price, b: Price): Price => {',
      '    if (a.currency !== b.currency) throw new Error("currencies differ")',
      '    return price(a.cents + b.cents, a.currency)',
      '}',
      'export const format = (p: Price) => (p.cents / 100).toFixed(2) + " " + p.currency',
    ),
    write(
      'item.ts',
      'import {Price} from "./price"',
      'export interface Item { id: string, name: string, price: Price, tags?: string[] }',
      'export function isItem(value: unknown): value is Item {',
      '    return typeof value === "object" && value !== null && "id" in value && "name" in value && "price" in value',
      '}',
    ),
  ],
  [
    write(
      'cart.ts',
      'import {Item} from "./item"',
      'import {add,Price,price} from "./price"',
      'export class Cart {',
      '    private lines = new Map<string, {item: Item, count: number}>()',
      '    put(item: Item, count = 1) {',
      '        const line = this.lines.get(item.id)',
      '        if (line) line.count += count',
      '        else this.lines.set(item.id, {item,count})',
      '    }',
      '    remove(id: string) { this.lines.delete(id) }',
      '    total(): Price {',
      '        let sum = price(0)',
      '        for (const {item,count} of this.lines.values()) { for (let i=0;i<count;i++) { sum = add(sum, item.price) } }',
      '        return sum',
      '    }',
      '}',
    ),
    edit(
      'price.ts',
      'export const format = (p: Price)',
      'export const times = (p: Price, factor: number): Price => price(Math.round(p.cents*factor), p.currency)\nexport const format = (p: Price)',
    ),
  ],
  [
    edit(
      'cart.ts',
      '{ for (let i=0;i<count;i++) { sum = add(sum, item.price) } }',
      '{ sum = add(sum, times(item.price, count)) }',
    ),
    edit(
      'cart.ts',
      'import {add,Price,price} from "./price"',
      'import {add,Price,price,times} from "./price"',
    ),
    edit(
      'cart.ts',
      'remove(id: string) { this.lines.delete(id) }',
      'remove(id: string) { return this.lines.delete(id) }\n    get size() { return this.lines.size }',
    ),
    edit('item.ts', 'tags?: string[] }', 'tags?: string[], weight?: number }'),
  ],
  [
    edit(
      'price.ts',
      'throw new Error("currencies differ")',
      'throw new CurrencyError(a.currency, b.currency)',
    ),
    edit(
      'price.ts',
      'export type Price = {cents:number,currency:string}',
      'export class CurrencyError extends Error {\n    constructor(one: string, other: string) { super(`${one} is not ${other}`) }\n}\nexport type Price = {cents:number,currency:string}',
    ),
    edit(
      'price.ts',
      '(p.cents / 100).toFixed(2) + " " + p.currency',
      'new Intl.NumberFormat("de", {style: "currency", currency: p.currency}).format(p.cents / 100)',
    ),
  ],
  [
    write(
      'discount.ts',
      'import {Price,times} from "./price"',
      'import {Cart} from "./cart"',
      'export type Discount = (cart: Cart) => Price | null',
      'export const percent = (amount: number): Discount => cart => amount <= 0 ? null : times(cart.total(), amount/100)',
      'export const fromSize = (size: number, inner: Discount): Discount => cart => cart.size >= size ? inner(cart) : null',
    ),
    edit(
      'cart.ts',
      'get size() { return this.lines.size }',
      'get size() { return this.lines.size }\n    get items() { return [...this.lines.values()].map(({item}) => item) }',
    ),
    edit(
      'item.ts',
      'export function isItem',
      'export const hasTag = (item: Item, tag: string) => item.tags?.includes(tag) ?? false\nexport function isItem',
    ),
  ],
  [
    edit(
      'discount.ts',
      'export const fromSize',
      'export const forTag = (tag: string, amount: number): Discount => cart => {\n    const items = cart.items.filter(item => hasTag(item, tag))\n    return items.length === 0 ? null : items.map(item => times(item.price, amount/100)).reduce(add)\n}\nexport const fromSize',
    ),
    edit(
      'discount.ts',
      'import {Price,times} from "./price"',
      'import {add,Price,times} from "./price"\nimport {hasTag} from "./item"',
    ),
    edit(
      'discount.ts',
      'amount <= 0 ? null : times(cart.total(), amount/100)',
      'amount <= 0 || amount > 100 ? null : times(cart.total(), amount/100)',
    ),
    edit(
      'cart.ts',
      'put(item: Item, count = 1) {',
      'put(item: Item, count = 1) {\n        if (count < 1) throw new RangeError("count must be positive")',
    ),
  ],
  [
    write(
      'store.ts',
      'import {readFile,writeFile} from "node:fs/promises"',
      'import {isItem,Item} from "./item"',
      'export class Store {',
      '    constructor(private readonly path: string) {}',
      '    async load(): Promise<Item[]> {',
      '        const all: unknown = JSON.parse(await readFile(this.path, "utf8"))',
      '        if (!Array.isArray(all)) throw new TypeError("the store is no list")',
      '        return all.filter(isItem)',
      '    }',
      '    async save(items: Item[]) { await writeFile(this.path, JSON.stringify(items, null, 2)) }',
      '}',
    ),
    edit(
      'item.ts',
      '"id" in value && "name" in value && "price" in value',
      '["id", "name", "price"].every(key => key in value)',
    ),
    edit(
      'price.ts',
      'export const times',
      'export const isFree = (p: Price) => p.cents === 0\nexport const times',
    ),
  ],
  [
    edit(
      'store.ts',
      'return all.filter(isItem)',
      'const items = all.filter(isItem)\n        if (items.length < all.length) console.warn(`${all.length-items.length} items were left out`)\n        return items',
    ),
    edit(
      'store.ts',
      'async save(items: Item[])',
      'async find(id: string) { return (await this.load()).find(item => item.id === id) ?? null }\n    async save(items: Item[])',
    ),
    edit(
      'store.ts',
      'constructor(private readonly path: string) {}',
      'constructor(private readonly path: string, private readonly indent = 2) {}',
    ),
    edit('store.ts', 'JSON.stringify(items, null, 2)', 'JSON.stringify(items, null, this.indent)'),
  ],
  [
    write(
      'report.ts',
      'import {Cart} from "./cart"',
      'import {format} from "./price"',
      'export const report = (cart: Cart): string => {',
      '    const lines = cart.items.map(item => `${item.name}: ${format(item.price)}`)',
      '    return [...lines, "total: " + format(cart.total())].join("\\n")',
      '}',
    ),
    edit('discount.ts', 'cart.size >= size ? inner(cart) : null', 'cart.size < size ? null : inner(cart)'),
    edit('cart.ts', 'let sum = price(0)', 'let sum = price(0, this.currency)'),
    edit(
      'cart.ts',
      'put(item: Item, count = 1) {',
      'constructor(private readonly currency = "EUR") {}\n    put(item: Item, count = 1) {',
    ),
  ],
  [
    edit(
      'report.ts',
      '"total: " + format(cart.total())',
      '...discounts(cart, all), "total: " + format(cart.total())',
    ),
    edit(
      'report.ts',
      'export const report = (cart: Cart): string => {',
      'export const report = (cart: Cart, all: Discount[] = []): string => {',
    ),
    edit(
      'report.ts',
      'import {format} from "./price"',
      'import {format} from "./price"\nimport {Discount} from "./discount"\nconst discounts = (cart: Cart, all: Discount[]) => all.map(one => one(cart)).flatMap(price => price ? ["discount: -"+format(price)] : [])',
    ),
    edit('price.ts', 'new Intl.NumberFormat("de", {style', 'new Intl.NumberFormat(locale, {style'),
    edit(
      'price.ts',
      'export const format = (p: Price) =>',
      'export const format = (p: Price, locale = "de") =>',
    ),
  ],
  [
    edit(
      'cart.ts',
      'if (line) line.count += count\n        else this.lines.set(item.id, {item,count})',
      'this.lines.set(item.id, {item, count: (line?.count ?? 0)+count})',
    ),
    edit(
      'cart.ts',
      'get items() { return [...this.lines.values()].map(({item}) => item) }',
      'get items() { return [...this.lines.values()].map(({item}) => item) }\n    count(id: string) { return this.lines.get(id)?.count ?? 0 }',
    ),
    edit(
      'report.ts',
      '`${item.name}: ${format(item.price)}`',
      '`${cart.count(item.id)} x ${item.name}: ${format(item.price)}`',
    ),
  ],
  [
    write(
      'main.ts',
      'import {Store} from "./store"',
      'import {Cart} from "./cart"',
      'import {report} from "./report"',
      'import {fromSize,percent} from "./discount"',
      'const store = new Store(process.argv[2] ?? "items.json")',
      'const cart = new Cart()',
      'for (const id of process.argv.slice(3)) { const item = await store.find(id); if (item) cart.put(item); else console.error(`no item ${id}`) }',
      'console.log(report(cart, [fromSize(3, percent(10))]))',
    ),
    edit(
      'store.ts',
      'console.warn(`${all.length-items.length} items were left out`)',
      'this.warn(`${all.length-items.length} items were left out`)',
    ),
    edit(
      'store.ts',
      'private readonly indent = 2) {}',
      'private readonly indent = 2, private readonly warn: (words: string) => void = console.warn) {}',
    ),
  ],
  [
    edit('main.ts', 'else console.error(`no item ${id}`)', 'else missing.push(id)'),
    edit('main.ts', 'const cart = new Cart()', 'const cart = new Cart()\nconst missing: string[] = []'),
    edit(
      'main.ts',
      'console.log(report(cart, [fromSize(3, percent(10))]))',
      'if (missing.length > 0) console.error("no such items: " + missing.join(", "))\nconsole.log(report(cart, [fromSize(3, percent(10)), forTag("sale", 20)]))',
    ),
    edit(
      'main.ts',
      'import {fromSize,percent} from "./discount"',
      'import {forTag,fromSize,percent} from "./discount"',
    ),
  ],
  [
    edit(
      'price.ts',
      'export const isFree',
      'export const subtract = (a: Price, b: Price) => add(a, times(b, -1))\nexport const isFree',
    ),
    edit('report.ts', 'import {format} from "./price"', 'import {format,subtract} from "./price"'),
    edit(
      'report.ts',
      '"total: " + format(cart.total())',
      '"total: " + format(all.map(one => one(cart)).reduce((sum, price) => price ? subtract(sum!, price) : sum, cart.total())!)',
    ),
    edit('item.ts', 'weight?: number }', 'weight?: number, stock?: number }'),
    edit(
      'cart.ts',
      'throw new RangeError("count must be positive")',
      'throw new RangeError(`${count} is no count`)',
    ),
  ],
]

/** How many of the calls are edits. */
export const EDITS = MESSAGES.flat().filter((call) => 'old' in call).length
