/** Shortens the schemas of arguments, which the model reads in every request. */
import * as z from 'zod'
import { defOf, onlyListOf } from '../json/issues.ts'

/** Shortens a schema. Of objects in `knownSchemas`, which the model sees in full elsewhere, only required keys stay. */
export const leanSchema = (schema: z.core.$ZodType, knownSchemas: Array<z.core.$ZodType>): z.ZodType => {
  const def = defOf(schema)
  // Inside itself, a schema is known, too: the model sees all keys of a task, so not again for its subtasks.
  const shorten = (inner: z.core.$ZodType) => leanSchema(inner, [...knownSchemas, schema])
  const withoutDescription = (): z.ZodType => {
    if (def.type === 'array') return z.array(shorten(def.element))
    if (def.type === 'union') return shorten(def.options.at(-1)!)
    if (def.type === 'optional' || def.type === 'default') return shorten(def.innerType).optional()
    if (def.type !== 'object') return schema as z.ZodType
    // In place of `{"rules": […]}`, the model may send the list alone.
    const onlyList = onlyListOf(def.shape)?.[1]
    if (onlyList !== undefined) return shorten(onlyList)
    const isKnown = knownSchemas.includes(schema)
    const properties = Object.entries(def.shape)
      .filter(([, property]) => !isKnown || property._zod.optin !== 'optional')
    return z.object(Object.fromEntries(properties.map(([key, property]) => [key, shorten(property)])))
  }
  const { description } = schema as z.ZodType
  return description === undefined ? withoutDescription() : withoutDescription().describe(description)
}
