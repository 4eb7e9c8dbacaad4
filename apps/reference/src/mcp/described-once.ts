import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'

type Describe = StandardSchemaWithJSON['~standard']['jsonSchema']['input']

/** A schema that is converted to JSON Schema once. The SDK converts it for each `tools/list`, and once for each server. */
export function describedOnce<In, Out>(
  schema: StandardSchemaWithJSON<In, Out>,
): StandardSchemaWithJSON<In, Out> {
  const { jsonSchema, ...standard } = schema['~standard']
  const described = { input: once(jsonSchema.input), output: once(jsonSchema.output) }
  return { '~standard': { ...standard, jsonSchema: described } }
}

function once(describe: Describe): Describe {
  const known = new Map<string, Record<string, unknown>>()
  return (options) => {
    const description = known.get(options.target) ?? describe(options)
    known.set(options.target, description)
    return description
  }
}
