import { styleText } from 'node:util'
import type { WebhookEndpointStatus, Webhooks } from '@grantkit/notifications'
import { defineCommand } from 'citty'
import { verdictOfSignIn, withoutMarks } from '../attempts/words.ts'
import type { ConfiguredService, LoadService } from '../definition.ts'
import type { KeyState, Overview } from '../operator/overview.ts'
import { OTHERS_LAG } from '../statistics/statistics.ts'
import { UsageError } from './command-line.ts'
import { isoTime, jsonText, plain, printList } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

/** Shows the state of store and database, the signing keys with their age, and the number of events of the last day. */
export const overview = (load: LoadService) =>
  defineCommand({
    meta: {
      description:
        'Whether store and database answer, which keys sign and how old they are, and the numbers of the last 24 hours',
    },
    args: { json: { type: 'boolean', description: 'prints JSON' } },
    run: async ({ args }) =>
      withSharedStore(await load(), async (service) => {
        const state = await service.operator.overview()
        console.log(args.json ? jsonText(state) : linesOf(state).join('\n'))
      }),
  })

function linesOf({ health, keys, lastDay, knownClientsRefused, signInsRefused }: Overview): string[] {
  return [
    ...Object.entries(health).map(([name, { answers, milliseconds }]) =>
      row(name, answers ? `answers in ${milliseconds.toFixed(1)} ms` : 'out of reach'),
    ),
    ...keys.map((key) => row(`key ${key.alg}`, keyWords(key))),
    ...Object.entries(lastDay).map(([type, count]) => row(type, `${count} in 24 hours`)),
    ...Object.entries(knownClientsRefused).map(([id, count]) =>
      row('known client off', `${id} refused ${count} times in 24 hours: KNOWN_CLIENTS`),
    ),
    ...signInsRefused.map(({ provider, reason, count }) =>
      row(
        'sign-in refused',
        `${provider} ${reason} ${count} times in 24 hours: ${withoutMarks(verdictOfSignIn(reason)?.fix ?? '')}`,
      ),
    ),
    OTHERS_LAG,
  ]
}

function keyWords({ kid, role, madeAt, signsFrom }: KeyState): string {
  const made = `made ${madeAt === undefined ? 'at an unknown time' : isoTime(madeAt)}`
  const signs = signsFrom === undefined ? [] : [`signs from ${isoTime(signsFrom)}`]
  return [kid, role, made, ...signs].join('  ')
}

function row(name: string, words: string): string {
  return `${styleText('bold', name.padEnd(20))}  ${words}`
}

/** Lists the endpoints of webhooks, and enables those that were disabled. */
export const webhooks = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Lists the endpoints of webhooks, and enables those that were disabled' },
    subCommands: { list: listEndpoints(load), enable: enableEndpoint(load) },
  })

const listEndpoints = (load: LoadService) =>
  defineCommand({
    meta: { description: 'The endpoints of WEBHOOKS, and whether messages arrive' },
    args: { json: { type: 'boolean', description: 'prints a JSON line for each' } },
    run: async ({ args: { json } }) =>
      withWebhooks(await load(), async (hooks) => printList(await hooks.endpoints(), json, endpointLine)),
  })

const enableEndpoint = (load: LoadService) =>
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
