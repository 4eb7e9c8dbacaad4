import { secret } from '../packages/server/src/config/fields.ts'
import { Provider } from '../packages/server/src/config/providers.ts'
import { fieldsOf, type KnownField, knownFields } from '../packages/server/src/config/variables.ts'

/** Every field of the configuration as the table of configuration.md. */
export function configurationTable(): string {
  const rows = knownFields().filter(({ key }) => key !== '$schema')
  return table(['Key', 'Variable', 'Meaning', 'Default'], rows.map(row))
}

/** The settings of a provider as the table of its page. */
export function providerTable(): string {
  const rows = fieldsOf(Provider(secret({ environment: {}, folder: '.' })))
  return table(
    ['Setting', 'Meaning'],
    rows.map(({ key, schema }) => [`\`${key}\``, schema.description ?? '']),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function row({ key, schema, info }: KnownField): readonly string[] {
  const variable = info.variable === undefined ? '' : `\`${info.variable}\``
  const guide = info.guide === undefined ? '' : ` ([guide](${info.guide}))`
  return [
    `\`${key}\``,
    variable,
    `${schema.description}${guide}`,
    info.otherwise ?? defaultOf(schema, info.variable),
  ]
}

/** As the variable has it, if there is one. */
function defaultOf(schema: KnownField['schema'], variable: string | undefined): string {
  const { defaultValue: value } = schema.def as { defaultValue?: unknown }
  if (value === undefined) return 'none'
  if (typeof value !== 'boolean') return `\`${value}\``
  if (variable === undefined) return `\`${value}\``
  return value ? '`on`' : '`off`'
}
