/** Shortens the schemas of arguments, which the model reads in every request. */
import * as z from 'zod'
import { defOf, onlyListOf } from '../json/issues.ts'

/**
 * Shortens a schema: an object with one list, `{"rules": […]}`, to that list; a union to its last option; an object
 * that the model knows (one of `knownSchemas`, or inside an object of its kind) to its required keys. Drops defaults.
 */
export const leanSchema = (schema: z.core.$ZodType, knownSchemas: Array<z.core.$ZodType>): z.ZodType => {
  const def = defOf(schema)
  const shorten = (inner: z.core.$ZodType) => leanSchema(inner, [...knownSchemas, schema])
  const lean = (): z.ZodType => {
    if (def.type === 'array') return z.array(shorten(def.element))
    if (def.type === 'union') return shorten(def.options.at(-1)!)
    if (def.type === 'optional' || def.type === 'default') return shorten(def.innerType).optional()
    if (def.type !== 'object') return schema as z.ZodType
    const [, list] = onlyListOf(def.shape) ?? []
    if (list !== undefined) return shorten(list)
    const isKnown = knownSchemas.includes(schema)
    const properties = Object.entries(def.shape)
      .filter(([, property]) => !isKnown || property._zod.optin !== 'optional')
    return z.object(Object.fromEntries(properties.map(([key, property]) => [key, shorten(property)])))
  }
  const { description } = schema as z.ZodType
  return description === undefined ? lean() : lean().describe(description)
}
