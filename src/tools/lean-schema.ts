/** Shortens the argument schemas, which the model reads in every request. */
import * as z from 'zod'
import { defOf, onlyListOf } from '../json/issues.ts'

/** Keeps only the required keys of each object in `knownSchemas`, because the model sees it in full elsewhere. */
export const leanSchema = (schema: z.core.$ZodType, knownSchemas: Array<z.core.$ZodType>): z.ZodType => {
  const { description } = schema as z.ZodType
  const shortened = shorten(schema, knownSchemas)
  return description === undefined ? shortened : shortened.describe(description)
}

const shorten = (schema: z.core.$ZodType, knownSchemas: Array<z.core.$ZodType>): z.ZodType => {
  const def = defOf(schema)
  // A schema counts as known inside itself, so a task in `subtasks` keeps only its required keys.
  const lean = (inner: z.core.$ZodType) => leanSchema(inner, [...knownSchemas, schema])
  if (def.type === 'array') return z.array(lean(def.element))
  if (def.type === 'optional' || def.type === 'default') return lean(def.innerType).optional()
  // In each union, the first option is a text and the last option is a list of texts.
  if (def.type === 'union') return lean(def.options.at(-1)!)
  if (def.type !== 'object') return schema as z.ZodType
  // If an object's only value is a list, the model may send the list alone.
  const onlyList = onlyListOf(def.shape)?.[1]
  if (onlyList !== undefined) return lean(onlyList)
  const isKnown = knownSchemas.includes(schema)
  const properties = Object.entries(def.shape).filter(([, { _zod }]) => !isKnown || _zod.optin !== 'optional')
  return z.object(Object.fromEntries(properties.map(([key, property]) => [key, lean(property)])))
}
