import { secret } from '../packages/server/src/config/fields.ts'
import { Provider } from '../packages/server/src/config/providers.ts'
import { fieldsOf, type KnownField, knownFields } from '../packages/server/src/config/variables.ts'

/** The headings, and the keys below them with all that are inside. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  Address: ['mode', 'baseUrl', 'host', 'port', 'trustProxy'],
  'Name and pages': ['brand', 'documentation'],
  'Scopes and APIs': ['scopes', 'defaultScope', 'resources'],
  Data: [
    'dataFolder',
    'database',
    'store',
    'databasePasswordFile',
    'storePasswordFile',
    'rdsIam',
    'postgresPrepare',
    'waitReplicas',
  ],
  'Secret and keys': ['secret', 'previousSecret', 'keysFile'],
  'Users and sign-in': [
    'users',
    'accountsFile',
    'passwordMinLength',
    'passwordPepper',
    'requirePasskey',
    'upstream',
    'upstreamFile',
    'exampleProvider',
  ],
  Features: ['features'],
  Lifetimes: ['lifetimes'],
  Operation: [
    'limits',
    'auditDays',
    'explain',
    'explainDays',
    'webhooks',
    'workers',
    'playground',
    'drainSeconds',
    'metricsPort',
    'logLevel',
  ],
  'Mail and admins': ['mail', 'admin'],
}

/** Every field of the configuration, each with a heading that a link and a search can find. */
export function configurationReference(): string {
  const fields = knownFields().filter(({ key }) => key !== '$schema')
  const subjectOf = ({ key }: KnownField) => {
    const [name = ''] = key.split('.')
    const found = Object.keys(SUBJECTS).find((subject) => SUBJECTS[subject]?.includes(name))
    if (found === undefined) throw new Error(`No subject of docs/configuration-table.ts has ${name}`)
    return found
  }
  const bySubject = Map.groupBy(fields, subjectOf)
  return Object.keys(SUBJECTS)
    .map((subject) => [`### ${subject}`, ...(bySubject.get(subject) ?? []).map(entry)].join('\n\n'))
    .join('\n\n')
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

function entry({ key, schema, info }: KnownField): string {
  const names = [key, ...(info.variable === undefined ? [] : [info.variable])].map((name) => `\`${name}\``)
  const meaning = `${schema.description}`.replace(/^[a-z]/, (letter) => letter.toUpperCase())
  const otherwise = info.otherwise ?? defaultOf(schema, info.variable)
  const sentences = [
    meaning,
    ...(otherwise === 'none' ? [] : [`Default: ${otherwise}`]),
    ...(info.guide === undefined ? [] : [`[Guide](${info.guide})`]),
  ]
  return [`#### ${names.join(', ')}`, `${sentences.join('. ')}.`].join('\n\n')
}

/** As the variable has it, if there is one. */
function defaultOf(schema: KnownField['schema'], variable: string | undefined): string {
  const { defaultValue: value } = schema.def as { defaultValue?: unknown }
  if (value === undefined) return 'none'
  if (typeof value !== 'boolean') return `\`${value}\``
  if (variable === undefined) return `\`${value}\``
  return value ? '`on`' : '`off`'
}
