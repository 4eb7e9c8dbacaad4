import * as z from 'zod'
import { configSchema } from './schema.ts'

/** The JSON Schema of a configuration file, for editors. */
export function configJsonSchema(): object {
  const schema = configSchema({ environment: {}, folder: '.' })
  const { $schema, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return { $schema, title: 'Configuration of @grantkit/server', ...described }
}
