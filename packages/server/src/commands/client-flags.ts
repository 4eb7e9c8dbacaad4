import { OAuthError } from '@grantkit/core'
import type { ArgDef, ArgsDef } from 'citty'
import * as z from 'zod'
import { readTextFile } from '../config/text-file.ts'
import { DAY_SECONDS } from '../config/time-units.ts'
import {
  boundsOf,
  CLIENT_MEMBERS,
  type Given,
  type Member,
  type MemberTable,
  SHORT_MEMBERS,
  wordsOf,
} from '../operator/client-members.ts'
import { everyValue, UsageError, wholeNumber } from './command-line.ts'
import { plain } from './terminal.ts'

/** The flags of a table. @param isNew whether the command makes something new, or changes it */
export function flagsOf(table: MemberTable, isNew = true): ArgsDef {
  const members = Object.entries(table).filter(
    ([, { flag, isFixed }]) => flag !== false && (isNew || !isFixed),
  )
  return Object.fromEntries(
    members.map(([name, member]) => {
      const flag = flagNamed(name, table)
      return [flag, argumentOf(flag, member, isNew)]
    }),
  )
}

/** The flag of a member. */
function flagNamed(name: string, table: MemberTable): string {
  return table[name]?.flag || name.replaceAll('_', '-')
}

function argumentOf(flag: string, member: Member, isNew: boolean): ArgDef {
  const { type, isRequired, otherwise } = member
  const without = isNew && otherwise !== undefined ? [`default: ${otherwise}`] : []
  const description = [wordsOf(member), ...notesOn(flag, member, isNew), ...without].join('; ')
  const shared = { description, ...(isRequired && { required: true }) }
  if (type.is === 'choice') return { ...shared, type: 'enum', options: [...type.choices] }
  if (type.is === 'boolean' && type.words) return { ...shared, type: 'enum', options: [...type.words] }
  if (type.is === 'boolean') return { ...shared, type: 'boolean' }
  const valueHint = HINTS[type.is]
  return { ...shared, type: 'string', ...(valueHint && { valueHint }) }
}

const HINTS: { readonly [Is in Member['type']['is']]?: string } = {
  uri: 'https URI',
  uris: 'URI',
  scopes: 'scopes',
  number: 'number',
  seconds: 'days',
  keys: 'file',
}

function notesOn(flag: string, { type }: Member, isNew: boolean): string[] {
  if (type.is === 'boolean' && !type.words && !isNew) return [`or --no-${flag}`]
  if (type.is === 'list' || type.is === 'uris')
    return [isNew ? 'may be repeated' : 'may be repeated, and replaces all it has']
  if (type.is === 'text' && type.max) return [`at most ${type.max} characters`]
  const bounds = boundsOf(type)
  if (bounds === undefined) return []
  const { min, max, byDefault } = bounds
  return [`${min} to ${max}${byDefault === undefined ? '' : `, by default ${byDefault}`}`]
}

/** What the flags of a command line say, by the names of their members. @throws UsageError */
export async function membersIn(
  table: MemberTable,
  args: Readonly<Record<string, unknown>>,
  words: readonly string[],
): Promise<Given> {
  const values = Object.entries(table).map(async ([name, { flag, type }]) => {
    const named = flagNamed(name, table)
    const given = flag === false ? undefined : args[named]
    return given === undefined ? [] : [[name, await memberValue(type, `--${named}`, given, words)]]
  })
  return Object.fromEntries((await Promise.all(values)).flat())
}

async function memberValue(type: Member['type'], flag: string, given: unknown, words: readonly string[]) {
  switch (type.is) {
    case 'list':
    case 'uris':
      return everyValue(words, flag.slice(2))
    case 'scopes':
      return String(given).split(' ')
    case 'keys':
      return readKeySet(String(given))
    case 'boolean':
      return type.words === undefined ? given : given === type.words[1]
    case 'number':
      return boundedNumber(type, flag, String(given))
    case 'seconds':
      return boundedNumber(type, flag, String(given)) * DAY_SECONDS
    default:
      return given
  }
}

function boundedNumber(type: Member['type'], flag: string, text: string): number {
  const { min, max } = boundsOf(type) ?? { min: 0, max: Number.MAX_SAFE_INTEGER }
  const number = wholeNumber(flag, text, min)
  if (number > max) throw new UsageError(`${flag} must be at most ${max}, not ${number}.`)
  return number
}

const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) })

/** @throws Error that names the file without its content, which may be a private key */
async function readKeySet(path: string): Promise<z.output<typeof KeySet>> {
  const text = await readTextFile(path)
  try {
    return KeySet.parse(JSON.parse(text))
  } catch {
    throw new Error(`${path} is not a JSON Web Key set: {"keys": […]}`)
  }
}

/** What a command says of a client, and `scope` and `grant` for members that belong together. */
export const FLAGS: MemberTable = { ...CLIENT_MEMBERS, ...SHORT_MEMBERS }

/** The members that have these flags. */
const SHORT: Readonly<Record<string, string>> = {
  grant_types: 'grant',
  scopes: 'scope',
  client_credentials_scopes: 'scope',
}

/** What the operator is refused, in the words of the command line. @param id what the command names */
export function inWordsOfFlags(error: unknown, id: unknown): unknown {
  if (!(error instanceof OAuthError)) return error
  const { member = '', fault } = error.parameters
  switch (error.reason) {
    case 'client_member_refused':
      return new UsageError(`--${flagNamed(SHORT[member] ?? member, FLAGS)} ${fault}.`)
    case 'initial_access_tokens_off':
      return new UsageError(`${error.message}.`)
    case 'client_unknown':
      return new Error(`There is no client ${plain(id)}`)
    case 'initial_access_token_unknown':
      return new Error(`There is no token ${plain(id)}`)
    default:
      return error
  }
}
