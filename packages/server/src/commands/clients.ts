import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { styleText } from 'node:util'
import type { FoundInitialAccessToken, RotatedSecret } from '@grantkit/core'
import { snakeCased } from '@grantkit/core/internal'
import { CAUTIONS, KNOWN_CLIENTS, type KnownClient } from '@grantkit/known-clients'
import { defineCommand, type SubCommandsDef } from 'citty'
import type { LoadService } from '../definition.ts'
import { INITIAL_TOKEN_MEMBERS, ROTATION_MEMBERS, SHORT_MEMBERS } from '../operator/client-members.ts'
import { clientInformation, initialTokenInformation, type OperatorClients } from '../operator/clients.ts'
import { FLAGS, flagsOf, inWordsOfFlags, membersIn } from './client-flags.ts'
import { everyValue, UsageError } from './command-line.ts'
import { clientLine, clientLines, isoTime, jsonText, plain } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

const client_id = { type: 'positional', required: true } as const
const json = { type: 'boolean', description: 'prints JSON' } as const
const jsonLines = { type: 'boolean', description: 'prints a JSON line for each' } as const

/** Opens the service. Refusals are in the words of the command line. @param id what the command names */
export async function onClients(
  load: LoadService,
  id: string | undefined,
  work: (clients: OperatorClients) => Promise<void>,
): Promise<void> {
  await withSharedStore(await load(), async ({ operator }) => {
    try {
      await work(operator.clients)
    } catch (error) {
      throw inWordsOfFlags(error, id)
    }
  })
}

/** Shows, changes and removes clients, whatever their origin. @param more commands of the program */
export const clients = (load: LoadService, more: SubCommandsDef = {}) =>
  defineCommand({
    meta: { description: 'Shows, changes and removes clients, whatever their origin' },
    subCommands: {
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
      ...more,
    },
  })

const list = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Every client, in no order; it looks at all of them' },
    args: {
      origin: {
        type: 'enum',
        options: ['registered', 'integration', 'document'],
        description:
          'only the clients that registered themselves, are static, or are known by their document',
      },
      json: jsonLines,
    },
    run: ({ args: { origin, json } }) =>
      onClients(load, undefined, (clients) => {
        async function* lines() {
          for await (const client of clients.list(origin))
            yield `${json ? jsonText(clientInformation(client)) : clientLine(client)}\n`
        }
        return pipeline(Readable.from(lines()), process.stdout, { end: false })
      }),
  })

const show = (load: LoadService) =>
  defineCommand({
    meta: { description: 'All that is known of a client, without its secret' },
    args: { client_id, json },
    run: ({ args }) =>
      onClients(load, args.client_id, async (clients) => {
        const client = await clients.read(args.client_id)
        console.log(args.json ? jsonText(clientInformation(client)) : clientLines(client).join('\n'))
      }),
  })

/** Adds a static client, for example with fixed https redirect URIs, which cannot register itself. */
export const addClient = (load: LoadService) =>
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

/** Ends the older secret of a client before its time. */
const endOldSecret = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Ends the older secret of a client at once' },
    args: { client_id },
    run: ({ args }) =>
      onClients(load, args.client_id, async (clients) => {
        const ended = await clients.endOldSecret(args.client_id)
        console.log(ended ? 'The older secret has ended.' : `${plain(args.client_id)} has no older secret.`)
      }),
  })

export const removeClient = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Ends all grants and tokens of a client; run it again if it broke off' },
    args: { client_id, json },
    run: ({ args }) =>
      onClients(load, args.client_id, async (clients) => {
        const ended = await clients.remove(args.client_id)
        if (args.json) return console.log(jsonText({ grants_ended: ended }, 2))
        console.log(`Removed. ${ended} ${ended === 1 ? 'grant' : 'grants'} ended with it.`)
      }),
  })

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

/** The tokens that have not expired, the newest first. */
const listTokens = (load: LoadService) =>
  defineCommand({
    meta: { description: 'The initial access tokens in the audit trail that have not expired' },
    args: { json: jsonLines },
    run: ({ args: { json } }) =>
      onClients(load, undefined, async (clients) => {
        let cursor: string | undefined
        do {
          const { items, next } = await clients.recentInitialTokens(cursor)
          for (const token of items)
            console.log(json ? jsonText(initialTokenInformation(token)) : tokenLine(token))
          cursor = next
        } while (cursor !== undefined)
      }),
  })

function tokenLine({ id, label, uses, scopes, expiresAt }: FoundInitialAccessToken): string {
  const left = uses === 0 ? 'used up' : `${uses} left`
  const limit = scopes === undefined ? 'every scope' : scopes.join(' ')
  return [id, `until ${isoTime(expiresAt)}`, left, limit, styleText('bold', plain(label))].join('  ')
}

/** Ends such a token. */
const removeToken = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Ends an initial access token; clients that registered with it stay' },
    args: { id: { type: 'positional', required: true } },
    run: ({ args: { id } }) =>
      onClients(load, id, async (clients) => {
        await clients.removeInitialToken(id)
        console.log('The token has ended.')
      }),
  })

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
