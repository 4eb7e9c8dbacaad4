import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'

/**
 * A schema that becomes JSON Schema once. The SDK keeps it for as long as a server lives, and every request has a server
 * of its own.
 */
export function describedOnce<In, Out>(
  schema: StandardSchemaWithJSON<In, Out>,
): StandardSchemaWithJSON<In, Out> {
  const { jsonSchema, ...standard } = schema['~standard']
  const known = new Map<string, Record<string, unknown>>()
  const output: typeof jsonSchema.output = (options) => {
    const description = known.get(options.target) ?? jsonSchema.output(options)
    known.set(options.target, description)
    return description
  }
  return { '~standard': { ...standard, jsonSchema: { ...jsonSchema, output } } }
}
