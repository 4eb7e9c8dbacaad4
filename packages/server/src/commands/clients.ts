import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Store } from '@grantkit/core'
import { publicClient } from '@grantkit/core/internal'
import { defineCommand, type SubCommandsDef } from 'citty'
import type { LoadService } from '../configured-service.ts'
import { clientLine, clientLines, removalLine } from './client-lines.ts'
import { addToken, listTokens, removeToken } from './initial-access-tokens.ts'
import { knownClients } from './known-clients.ts'
import { dropOldSecret, rotateSecret } from './rotate-secret.ts'
import { jsonText, plain } from './terminal.ts'
import { updateClient } from './update-client.ts'
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
