import { styleText } from 'node:util'
import { type KeyState, MAX_COUNTED, type Overview } from '../admin/overview.ts'
import { momentOf } from './client-lines.ts'
import { readCommandLine } from './command-line.ts'
import { fail, jsonText } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

/**
 * Shows the health of store and database, the signing keys with their age, and the number of events of the last day.
 */

const USAGE = `pnpm overview [--json]

Whether store and database answer, which keys sign and how old they are, and the numbers of the last 24 hours.`

const { values } = readCommandLine(USAGE, { options: { json: { type: 'boolean', default: false } } })

try {
  await withSharedStore(async ({ overview }) => {
    const state = await overview()
    console.log(values.json ? jsonText(state) : linesOf(state).join('\n'))
  })
} catch (error) {
  fail(error)
}

function linesOf({ health, keys, lastDay }: Overview): string[] {
  return [
    ...Object.entries(health).map(([name, { answers, milliseconds }]) =>
      row(name, answers ? `answers in ${milliseconds.toFixed(1)} ms` : 'out of reach'),
    ),
    ...keys.map((key) => row(`key ${key.alg}`, keyWords(key))),
    ...Object.entries(lastDay).map(([type, count]) =>
      row(type, `${count}${count === MAX_COUNTED ? ' or more' : ''} in 24 hours`),
    ),
  ]
}

function keyWords({ kid, role, madeAt, signsFrom }: KeyState): string {
  const made = madeAt === undefined ? [] : [`made ${momentOf(madeAt)}`]
  const signs = signsFrom === undefined ? [] : [`signs from ${momentOf(signsFrom)}`]
  return [kid, role, ...made, ...signs].join('  ')
}

function row(name: string, words: string): string {
  return `${styleText('bold', name.padEnd(20))}  ${words}`
}
