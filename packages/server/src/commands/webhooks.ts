import { styleText } from 'node:util'
import type { WebhookEndpointStatus, Webhooks } from '@grantkit/notifications'
import { defineCommand } from 'citty'
import type { ConfiguredService, LoadService } from '../definition.ts'
import { UsageError } from './command-line.ts'
import { isoTime, jsonText, plain } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

/** Lists the endpoints of webhooks, and enables those that were disabled. */
export const webhooks = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Lists the endpoints of webhooks, and enables those that were disabled' },
    subCommands: { list: list(load), enable: enable(load) },
  })

const list = (load: LoadService) =>
  defineCommand({
    meta: { description: 'The endpoints of WEBHOOKS, and whether messages arrive' },
    args: { json: { type: 'boolean', description: 'prints a JSON line for each' } },
    run: async ({ args: { json } }) =>
      withWebhooks(await load(), async (hooks) => {
        for (const endpoint of await hooks.endpoints())
          console.log(json ? jsonText(endpoint) : endpointLine(endpoint))
      }),
  })

const enable = (load: LoadService) =>
  defineCommand({
    meta: {
      description: 'Sends to a disabled endpoint again. What happened while it was disabled is lost',
    },
    args: { name: { type: 'positional', required: true, description: 'the endpoint' } },
    run: async ({ args: { name } }) =>
      withWebhooks(await load(), async (hooks) => {
        const endpoint = (await hooks.endpoints()).find((each) => each.name === name)
        if (endpoint === undefined) throw new Error(`WEBHOOKS has no endpoint ${plain(name)}.`)
        await hooks.enable(name)
        console.log(
          endpoint.isDisabled ? 'The endpoint gets messages again.' : 'The endpoint was enabled already.',
        )
      }),
  })

async function withWebhooks(configured: ConfiguredService, work: (hooks: Webhooks) => Promise<void>) {
  if (configured.config.webhooks === undefined)
    throw new UsageError('It needs WEBHOOKS, the file of the endpoints.')
  await withSharedStore(configured, async ({ webhooks }) => {
    if (webhooks !== undefined) await work(webhooks)
  })
}

function endpointLine({ name, url, types, isDisabled, failingSince }: WebhookEndpointStatus): string {
  const failing = failingSince === undefined ? 'no failures' : `failing since ${isoTime(failingSince)}`
  const state = isDisabled ? `disabled, ${failing}` : failing
  return `${styleText('bold', plain(name))}  ${plain(url)}  ${state}  ${types.join(' ')}`
}
