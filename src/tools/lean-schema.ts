/** Shortens the schema of an argument for the model. */
import * as z from 'zod'
import { defOf, onlyListOf } from '../json/issues.ts'

/**
 * Returns the shortest schema that tells a model what to send: the list in place of `{"rules": […]}`, the last option of a
 * union, no defaults. An object that is `known`, or that contains itself, keeps only its required keys.
 */
export const leanSchema = (schema: z.core.$ZodType, known: Array<z.core.$ZodType>): z.ZodType => {
  const def = defOf(schema)
  const show = (inner: z.core.$ZodType) => leanSchema(inner, [...known, schema])
  const lean = (): z.ZodType => {
    if (def.type === 'array') return z.array(show(def.element))
    if (def.type === 'union') return show(def.options.at(-1)!)
    if (def.type === 'optional' || def.type === 'default') return show(def.innerType).optional()
    if (def.type !== 'object') return schema as z.ZodType
    const [, list] = onlyListOf(def.shape) ?? []
    if (list !== undefined) return show(list)
    const parts = Object.entries(def.shape)
      .filter(([, part]) => part._zod.optin === undefined || !known.includes(schema))
    return z.object(Object.fromEntries(parts.map(([key, part]) => [key, show(part)])))
  }
  const { description } = schema as z.ZodType
  return description === undefined ? lean() : lean().describe(description)
}
