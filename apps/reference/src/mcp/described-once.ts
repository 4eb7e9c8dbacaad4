import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'

/**
 * A schema that is converted to JSON Schema once. The SDK caches it per server, and every request has its own server.
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
