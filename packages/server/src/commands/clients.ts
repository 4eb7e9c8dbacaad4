import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { styleText } from 'node:util'
import type { FoundInitialAccessToken, Store } from '@grantkit/core'
import { publicClient } from '@grantkit/core/internal'
import { CAUTIONS, KNOWN_CLIENTS, type KnownClient } from '@grantkit/known-clients'
import { defineCommand, type SubCommandsDef } from 'citty'
import { DAY_SECONDS } from '../config/time-units.ts'
import type { LoadService } from '../definition.ts'
import { UsageError, wholeNumber } from './command-line.ts'
import { clientLine, clientLines, isoTime, jsonText, plain, removalLine } from './terminal.ts'
import { dropOldSecret, rotateSecret, updateClient } from './update-client.ts'
import { withSharedStore } from './with-service.ts'

const client_id = { type: 'positional', required: true } as const
const json = { type: 'boolean', description: 'prints JSON, of a list a line for each' } as const

/** Shows, changes and removes clients, whatever their origin. @param more commands of the program */
export const clients = (load: LoadService, more: SubCommandsDef = {}) =>
  defineCommand({
    meta: { description: 'Shows, changes and removes clients, whatever their origin' },
    subCommands: {
      list: list(load),
      show: show(load),
      update: updateClient(load),
      rotate: rotateSecret(load),
      'drop-old-secret': dropOldSecret(load),
      'add-token': addToken(load),
      'list-tokens': listTokens(load),
      'remove-token': removeToken(load),
      remove: remove(load),
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
      json,
    },
    run: async ({ args }) =>
      withSharedStore(await load(), (_, { store }) =>
        pipeline(Readable.from(lines(store, args)), process.stdout, { end: false }),
      ),
  })

const show = (load: LoadService) =>
  defineCommand({
    meta: { description: 'All that is known of a client, without its secret' },
    args: { client_id, json },
    run: async ({ args }) =>
      withSharedStore(await load(), async ({ clients }) => {
        const client = await clients.find(args.client_id)
        if (client === undefined) throw new Error(`There is no client ${plain(args.client_id)}`)
        console.log(args.json ? jsonText(client) : clientLines(client).join('\n'))
      }),
  })

const remove = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Ends all grants and tokens of a client; run it again if it broke off' },
    args: { client_id },
    run: async ({ args }) =>
      withSharedStore(await load(), async ({ clients }) =>
        console.log(removalLine(args.client_id, await clients.remove(args.client_id))),
      ),
  })

interface ListOptions {
  readonly origin?: string | undefined
  readonly json?: boolean | undefined
}

/** A scan may return a client twice. */
async function* lines({ clients }: Store, { origin, json }: ListOptions): AsyncGenerator<string> {
  const seen = new Set<string>()
  for await (const client of clients.scan()) {
    const isOther = origin !== undefined && client.origin !== origin
    if (isOther || seen.has(client.clientId)) continue
    seen.add(client.clientId)
    yield `${json ? jsonText(publicClient(client)) : clientLine(client)}\n`
  }
}

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
        args.json ? [jsonText(record(client, isOn(client)))] : [...linesOf(client, isOn(client)), ''],
      )
      console.log(lines.join('\n').trimEnd())
    },
  })

function record({ documents, ...client }: KnownClient, on: boolean): object {
  return { ...client, documents: documents.map(({ url, seen }) => ({ url, seen })), on }
}

function linesOf({ id, name, host, redirectUris, documents, ...entry }: KnownClient, on: boolean): string[] {
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

/** Makes a token with which clients register themselves (RFC 7591 3). */
const addToken = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Makes an initial access token, with which clients register themselves' },
    args: {
      label: { type: 'string', required: true, description: 'for whom it is, at most 60 characters' },
      uses: { type: 'string', description: 'how many clients may register with it; default: 1' },
      days: { type: 'string', description: 'how long it is valid, at most 366; default: 1' },
      scope: {
        type: 'string',
        valueHint: 'scopes',
        description: 'all that its clients may ever request; default: all but admin:read and admin:write',
      },
      json: { type: 'boolean', description: 'prints JSON' },
    },
    run: async ({ args: { label, uses = '1', days = '1', scope, json } }) => {
      const options = {
        label,
        uses: wholeNumber('--uses', uses),
        expiresIn: wholeNumber('--days', days) * DAY_SECONDS,
        scopes: scope?.split(' '),
      }
      const configured = await load()
      const { initialAccessTokens, registration } = configured.config.features
      if (!registration || !initialAccessTokens) throw new UsageError('It needs INITIAL_ACCESS_TOKENS=on.')
      await withSharedStore(configured, async ({ clients }) => {
        const { id, token, expiresAt } = await clients.addInitialAccessToken(options)
        if (json) return console.log(jsonText({ id, token, expires_at: isoTime(expiresAt) }, 2))
        console.log(`id     ${id}\ntoken  ${token}`)
        console.log(styleText('dim', 'The token is shown this once; only its hash is kept.'))
        console.log(`It ends at ${isoTime(expiresAt)}.`)
      })
    },
  })

/** The tokens that have not expired, the newest first. */
const listTokens = (load: LoadService) =>
  defineCommand({
    meta: { description: 'The initial access tokens in the audit trail that have not expired' },
    args: { json: { type: 'boolean', description: 'prints a JSON line for each' } },
    run: async ({ args: { json } }) =>
      withSharedStore(await load(), async ({ clients }, { database, trail }) => {
        const { recentInitialTokens } = await import('../operator/clients.ts')
        const { trailReader } = await import('../audit/reading.ts')
        const reader = trailReader(database, trail)
        let cursor: string | undefined
        do {
          const { tokens, next } = await recentInitialTokens(reader, clients, cursor)
          for (const token of tokens) console.log(json ? jsonText(token) : tokenLine(token))
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
    run: async ({ args: { id } }) =>
      withSharedStore(await load(), async ({ clients }) => {
        if (!(await clients.removeInitialAccessToken(id))) throw new Error(`There is no token ${plain(id)}`)
        console.log('The token has ended.')
      }),
  })
