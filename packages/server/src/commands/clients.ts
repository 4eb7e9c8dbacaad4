import { styleText } from 'node:util'
import { type FoundInitialAccessToken, OAuthError, type RotatedSecret } from '@grantkit/core'
import { snakeCased } from '@grantkit/core/internal'
import { CAUTIONS, KNOWN_CLIENTS, type KnownClient } from '@grantkit/known-clients'
import { type ArgDef, type ArgsDef, defineCommand, type ParsedArgs } from 'citty'
import * as z from 'zod'
import { jsonOf, readTextFile } from '../config/text-file.ts'
import { DAY_SECONDS } from '../config/time-units.ts'
import { everyItem } from '../database/lists.ts'
import type { LoadService } from '../definition.ts'
import {
  boundsOf,
  CLIENT_MEMBERS,
  type Given,
  INITIAL_TOKEN_MEMBERS,
  type Member,
  type MemberTable,
  ROTATION_MEMBERS,
  SHORT_MEMBERS,
  wordsOf,
} from '../operator/client-members.ts'
import { clientInformation, initialTokenInformation, type OperatorClients } from '../operator/clients.ts'
import { everyValue, UsageError, wholeNumber } from './command-line.ts'
import { clientLine, clientLines, isoTime, jsonText, pipeLines, plain } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

const client_id = { type: 'positional', required: true } as const
const json = { type: 'boolean', description: 'prints JSON' } as const
const jsonLines = { type: 'boolean', description: 'prints a JSON line for each' } as const

/** What a command says of a client, and `scope` and `grant` for members that belong together. */
const FLAGS: MemberTable = { ...CLIENT_MEMBERS, ...SHORT_MEMBERS }

/** What stands for the value of a flag. */
const HINTS: { readonly [Is in Member['type']['is']]?: string } = {
  uri: 'https URI',
  uris: 'URI',
  scopes: 'scopes',
  number: 'number',
  seconds: 'days',
  keys: 'file',
}

/** Opens the service. Refusals are in the words of the command line. @param id what the command names */
async function onClients(
  load: LoadService,
  id: unknown,
  work: (clients: OperatorClients) => Promise<unknown>,
): Promise<void> {
  await withSharedStore(await load(), async ({ operator }) => {
    try {
      await work(operator.clients)
    } catch (error) {
      throw inWordsOfFlags(error, id)
    }
  })
}

/** A command that opens the service with whatever its command line says. */
function clientCommand<const Args extends ArgsDef>(
  description: string,
  args: Args,
  work: (clients: OperatorClients, args: ParsedArgs<Args>) => Promise<unknown>,
) {
  return (load: LoadService) =>
    defineCommand({
      meta: { description },
      args,
      run: ({ args }) => onClients(load, args.client_id ?? args.id, (clients) => work(clients, args)),
    })
}

/** Adds static clients, and shows, changes and removes clients of any origin. */
export const clients = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Adds, shows, changes and removes clients' },
    subCommands: {
      add: addClient(load),
      list: list(load),
      show: show(load),
      update: updateClient(load),
      rotate: rotateSecret(load),
      'drop-old-secret': endOldSecret(load),
      'add-token': addToken(load),
      'list-tokens': listTokens(load),
      'remove-token': removeToken(load),
      remove: removeClient(load),
      known: knownClients(load),
    },
  })

const list = clientCommand(
  'Every client, in no order; it looks at all of them',
  {
    origin: {
      type: 'enum',
      options: ['registered', 'integration', 'document'],
      description: 'only the clients that registered themselves, are static, or are known by their document',
    },
    json: jsonLines,
  },
  (clients, { origin, json }) =>
    pipeLines(clients.list(origin), (client) =>
      json ? jsonText(clientInformation(client)) : clientLine(client),
    ),
)

const show = clientCommand(
  'All that is known of a client, without its secret',
  { client_id, json },
  async (clients, args) => {
    const client = await clients.read(args.client_id)
    console.log(args.json ? jsonText(clientInformation(client)) : clientLines(client).join('\n'))
  },
)

/** Adds a static client, for example with fixed https redirect URIs, which cannot register itself. */
const addClient = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Adds a static client, which an operator registers' },
    args: {
      ...flagsOf(FLAGS),
      public: { type: 'boolean', description: 'it cannot keep a secret, as with --auth none' },
      json,
    },
    run: async ({ args, rawArgs }) => {
      const members = await membersIn(FLAGS, args, rawArgs)
      if (args.public && args.auth !== undefined)
        throw new UsageError('--public and --auth exclude each other.')
      const whole = args.public ? { ...members, token_endpoint_auth_method: 'none' } : members
      await onClients(load, undefined, async (clients) => {
        const added = await clients.add(whole)
        if (args.json) return console.log(jsonText(clientInformation(added), 2))
        console.log(`client_id      ${added.clientId}`)
        if (added.clientSecret !== undefined) printOnce('client_secret', added.clientSecret, 'secret')
      })
    },
  })

function printOnce(name: string, secret: string, noun: string): void {
  console.log(`${name}  ${secret}`)
  console.log(styleText('dim', `The ${noun} is shown this once; only its hash is kept.`))
}

/** Changes a static client. What is not named stays. */
const updateClient = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Changes a client that an operator added; what is not named stays' },
    args: {
      client_id,
      ...flagsOf(FLAGS, false),
      unset: {
        type: 'string',
        valueHint: 'member',
        description:
          'a member to remove, such as scopes: then it may request all but admin:read and admin:write. May be repeated',
      },
      json,
    },
    run: async ({ args, rawArgs }) => {
      const unset = everyValue(rawArgs, 'unset')
      const short = unset.find((name) => Object.hasOwn(SHORT_MEMBERS, name))
      if (short !== undefined)
        throw new UsageError(`--unset takes a member, such as scopes or grant_types, not ${short}.`)
      const removed = Object.fromEntries(unset.map((name) => [name, null]))
      const changes = { ...removed, ...(await membersIn(FLAGS, args, rawArgs)) }
      if (Object.keys(changes).length === 0) throw new UsageError('Name what changes, such as --name.')
      await onClients(load, args.client_id, async (clients) => {
        const client = await clients.update(args.client_id, changes)
        console.log(args.json ? jsonText(clientInformation(client), 2) : clientLines(client).join('\n'))
      })
    },
  })

/** Gives a client a new secret, while the one in use stays valid for some days. */
const rotateSecret = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Gives a client a new secret; the one in use stays valid for some days' },
    args: { client_id, ...flagsOf(ROTATION_MEMBERS), json },
    run: async ({ args, rawArgs }) => {
      const rotation = await membersIn(ROTATION_MEMBERS, args, rawArgs)
      await onClients(load, args.client_id, async (clients) => {
        const rotated = await clients.rotateSecret(args.client_id, rotation)
        if (args.json) console.log(jsonText(snakeCased(rotated), 2))
        else printRotated(rotated)
      })
    },
  })

function printRotated({ clientSecret, clientSecretExpiresAt, oldSecretEndsAt }: RotatedSecret): void {
  printOnce('client_secret', clientSecret, 'secret')
  if (clientSecretExpiresAt !== 0) console.log(`It ends at ${isoTime(clientSecretExpiresAt)}.`)
  const older = oldSecretEndsAt === undefined ? 'has ended' : `ends at ${isoTime(oldSecretEndsAt)}`
  console.log(`The older secret ${older}.`)
}

const endOldSecret = clientCommand(
  'Ends the older secret of a client at once',
  { client_id },
  async (clients, args) => {
    const ended = await clients.endOldSecret(args.client_id)
    console.log(ended ? 'The older secret has ended.' : `${plain(args.client_id)} has no older secret.`)
  },
)

const removeClient = clientCommand(
  'Ends all grants and tokens of a client; run it again if it broke off',
  { client_id, json },
  async (clients, args) => {
    const ended = await clients.remove(args.client_id)
    if (args.json) return console.log(jsonText({ grants_ended: ended }, 2))
    console.log(`Removed. ${ended} ${ended === 1 ? 'grant' : 'grants'} ended with it.`)
  },
)

/** Makes a token with which clients register themselves (RFC 7591 3). */
const addToken = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Makes an initial access token, with which clients register themselves' },
    args: { ...flagsOf(INITIAL_TOKEN_MEMBERS), json },
    run: async ({ args, rawArgs }) => {
      const members = await membersIn(INITIAL_TOKEN_MEMBERS, args, rawArgs)
      await onClients(load, undefined, async (clients) => {
        const added = await clients.addInitialToken(members)
        if (args.json) return console.log(jsonText(initialTokenInformation(added), 2))
        console.log(`id     ${added.id}`)
        printOnce('token', added.token, 'token')
        console.log(`It ends at ${isoTime(added.expiresAt)}.`)
      })
    },
  })

const listTokens = clientCommand(
  'The initial access tokens in the audit trail that have not expired',
  { json: jsonLines },
  async (clients, { json }) => {
    for await (const token of everyItem(clients.recentInitialTokens))
      console.log(json ? jsonText(initialTokenInformation(token)) : tokenLine(token))
  },
)

function tokenLine({ id, label, uses, scopes, expiresAt }: FoundInitialAccessToken): string {
  const left = uses === 0 ? 'used up' : `${uses} left`
  const limit = scopes === undefined ? 'every scope' : scopes.join(' ')
  return [id, `until ${isoTime(expiresAt)}`, left, limit, styleText('bold', plain(label))].join('  ')
}

const removeToken = clientCommand(
  'Ends an initial access token; clients that registered with it stay',
  { id: { type: 'positional', required: true } },
  async (clients, { id }) => {
    await clients.removeInitialToken(id)
    console.log('The token has ended.')
  },
)

/** Shows the table of known clients, and which of them this configuration lets in. */
const knownClients = (load: LoadService) =>
  defineCommand({
    meta: {
      description:
        'Known clients such as Claude and Cursor: their addresses, and whether KNOWN_CLIENTS lets them in',
    },
    args: { json: { type: 'boolean', description: 'prints JSON, a line for each' } },
    run: async ({ args }) => {
      const { features } = (await load()).config
      const isOn = ({ id }: KnownClient) => features.knownClients.includes(id)
      const lines = KNOWN_CLIENTS.flatMap((client) =>
        args.json ? [jsonText(record(client, isOn(client)))] : [...knownLines(client, isOn(client)), ''],
      )
      console.log(lines.join('\n').trimEnd())
    },
  })

function record({ documents, ...client }: KnownClient, on: boolean): object {
  return { ...client, documents: documents.map(({ url, seen }) => ({ url, seen })), on }
}

function knownLines(
  { id, name, host, redirectUris, documents, ...entry }: KnownClient,
  on: boolean,
): string[] {
  const { evidence, seen, source, caution } = entry
  const state = on ? styleText('green', 'on ') : 'off'
  return [
    `${id.padEnd(16)}  ${state}  ${styleText('bold', name)}, ${host}`,
    ...redirectUris.map((uri) => `  redirect  ${uri}`),
    ...documents.map(({ url }) => `  document  ${url}`),
    ...(caution === undefined ? [] : [`  caution   ${CAUTIONS[caution]}`]),
    `  seen      ${seen}, ${EVIDENCE[evidence]}: ${source}`,
  ]
}

const EVIDENCE: Readonly<Record<KnownClient['evidence'], string>> = {
  'vendor-page': 'a page of the vendor',
  'vendor-document': 'a document of the vendor',
  'vendor-source': 'source code of the vendor',
  observed: 'requests that servers saw',
}

// Members of a client as flags.

/** The flags of a table. @param isNew whether the command makes something new, or changes it */
function flagsOf(table: MemberTable, isNew = true): ArgsDef {
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
async function membersIn(
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
      return keySetIn(await readTextFile(String(given)), String(given))
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

const keySetIn = jsonOf(
  z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
  'JSON Web Key set, {"keys": […]}',
)

/** The members that have these flags. */
const SHORT: Readonly<Record<string, string>> = {
  grant_types: 'grant',
  scopes: 'scope',
  client_credentials_scopes: 'scope',
}

/** What the operator is refused, in the words of the command line. @param id what the command names */
function inWordsOfFlags(error: unknown, id: unknown): unknown {
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
