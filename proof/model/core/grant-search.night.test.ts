import { expect, it } from 'vitest'
import { search } from './search.ts'
import { openedWorld } from './search-requests.ts'

/** Requests in a row. MODEL_DEPTH looks deeper: each one more takes about five times as long. */
const DEPTH = Number(process.env.MODEL_DEPTH ?? 7)
const MINUTES = 60_000

it.each([
  ['an authorization code', false],
  ['a device code', true],
])(
  'no order of requests, pauses and clocks breaks a rule of a grant of %s',
  { timeout: 20 * MINUTES },
  (_, isDevice) => {
    const { fault, worlds } = search(openedWorld(isDevice), DEPTH)
    expect(fault).toBeUndefined()
    expect(worlds).toBeGreaterThan(1000)
    if (process.env.MODEL_DEPTH) console.log(`${worlds} worlds`)
  },
)
