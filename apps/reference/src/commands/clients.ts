import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Store } from '@grantkit/core'
import { publicClient } from '@grantkit/core/feature'
import { clientLine, clientLines, removalLine } from './client-lines.ts'
import { readCommandLine, refuse } from './command-line.ts'
import { fail, jsonText, plain } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

/** Shows all clients, whatever their origin, and removes one. */

const USAGE = `pnpm clients list                 every client, in no order; it looks at all of them
pnpm clients show <client_id>
pnpm clients remove <client_id>   ends all its grants and tokens; run it again if it broke off

list takes
  --origin <origin>   only those that are registered, integration or document
list and show take
  --json              JSON, of a list a line for each`
const ORIGINS = ['registered', 'integration', 'document']

const { values, positionals } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: { origin: { type: 'string' }, json: { type: 'boolean', default: false } },
})

try {
  await run()
} catch (error) {
  fail(error)
}

async function run(): Promise<void> {
  const [command = '', clientId, ...more] = positionals
  const { origin } = values
  const surplus = command === 'list' ? clientId : more[0]
  if (surplus !== undefined) refuse(USAGE, `Unexpected argument: ${surplus}.`)
  if (origin !== undefined && !ORIGINS.includes(origin))
    refuse(USAGE, `--origin must be registered, integration or document, not "${origin}".`)
  if (command === 'list')
    return withSharedStore((_, __, { store }) =>
      pipeline(Readable.from(lines(store)), process.stdout, { end: false }),
    )
  if (command !== 'show' && command !== 'remove') refuse(USAGE, 'The command must be list, show or remove.')
  if (clientId === undefined) refuse(USAGE, 'The client_id is required.')
  return withSharedStore(async ({ clients }) => {
    if (command === 'remove') return console.log(removalLine(clientId, await clients.remove(clientId)))
    const client = await clients.find(clientId)
    if (client === undefined) throw new Error(`There is no client ${plain(clientId)}`)
    console.log(values.json ? jsonText(client) : clientLines(client).join('\n'))
  })
}

/** A scan may return a client twice. */
async function* lines({ clients }: Store): AsyncGenerator<string> {
  const seen = new Set<string>()
  for await (const client of clients.scan()) {
    const isOther = values.origin !== undefined && client.origin !== values.origin
    if (isOther || seen.has(client.clientId)) continue
    seen.add(client.clientId)
    yield `${values.json ? jsonText(publicClient(client)) : clientLine(client)}\n`
  }
}
