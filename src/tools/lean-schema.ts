/** Shortens the schema of an argument for the model. */
import * as z from 'zod'
import { defOf, onlyListOf } from '../json/issues.ts'

/**
 * Returns a shorter schema that tells a model what to send: the list in place of `{"rules": […]}`, only the last option
 * of a union, no defaults. An object among `knownSchemas`, or inside of an object of the same schema, keeps only its
 * required keys.
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
    const properties = Object.entries(def.shape)
      .filter(([, property]) => property._zod.optin === undefined || !knownSchemas.includes(schema))
    return z.object(Object.fromEntries(properties.map(([key, property]) => [key, shorten(property)])))
  }
  const { description } = schema as z.ZodType
  return description === undefined ? lean() : lean().describe(description)
}
