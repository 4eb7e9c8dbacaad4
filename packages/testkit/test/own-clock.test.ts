import { createMemoryStore } from '@grantkit/store-memory'
import { expect, it } from 'vitest'
import { fakeClock } from '../src/clock.ts'
import { clockFault } from '../src/store/own-clock.ts'

const clock = fakeClock()
const faultOf = (now?: () => number) =>
  clockFault(
    { store: createMemoryStore({ now }), clock, realTime: false, restart: async () => {} },
    new AbortController().signal,
  )

it('explains to the author of a store that it uses its own clock', async () => {
  expect(await faultOf()).toContain('Your store uses its own clock')
})

it('says nothing of a store that uses the one it is given', async () => {
  expect(await faultOf(clock.now)).toBeUndefined()
})
