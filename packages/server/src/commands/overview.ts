import { styleText } from 'node:util'
import { defineCommand } from 'citty'
import type { LoadService } from '../definition.ts'
import type { KeyState, Overview } from '../operator/overview.ts'
import { isoTime, jsonText } from './terminal.ts'
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
        const state = await service.overview()
        const { MAX_COUNTED } = await import('../operator/overview.ts')
        console.log(args.json ? jsonText(state) : linesOf(state, MAX_COUNTED).join('\n'))
      }),
  })

function linesOf({ health, keys, lastDay, knownClientsRefused }: Overview, maxCounted: number): string[] {
  return [
    ...Object.entries(health).map(([name, { answers, milliseconds }]) =>
      row(name, answers ? `answers in ${milliseconds.toFixed(1)} ms` : 'out of reach'),
    ),
    ...keys.map((key) => row(`key ${key.alg}`, keyWords(key))),
    ...Object.entries(lastDay).map(([type, count]) =>
      row(type, `${count}${count === maxCounted ? ' or more' : ''} in 24 hours`),
    ),
    ...Object.entries(knownClientsRefused).map(([id, count]) =>
      row('known client off', `${id} refused ${count} times in 24 hours: KNOWN_CLIENTS`),
    ),
  ]
}

function keyWords({ kid, role, madeAt, mayBeOlder, signsFrom }: KeyState): string {
  const made = `made ${isoTime(madeAt)}${mayBeOlder ? ' or before' : ''}`
  const signs = signsFrom === undefined ? [] : [`signs from ${isoTime(signsFrom)}`]
  return [kid, role, made, ...signs].join('  ')
}

function row(name: string, words: string): string {
  return `${styleText('bold', name.padEnd(20))}  ${words}`
}
