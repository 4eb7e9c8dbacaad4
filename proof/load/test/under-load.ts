import { cli } from '@grantkit/test-servers/redis-cli'
import { expect } from 'vitest'
import type { TestCluster } from '../cluster.ts'
import { Editors } from '../editors.ts'
import { runMix } from '../mix.ts'
import { KEYS_WITHOUT_END } from '../redis-keys.ts'
import { Tally } from '../tally.ts'

/**
 * Runs installations before, during and after an event, and returns their tally.
 *
 * @param editors how many people change the school meanwhile, which all replicas must share
 */
export async function working(at: TestCluster, during: () => Promise<void>, editors = 0): Promise<Tally> {
  const tally = new Tally()
  let working = true
  const { baseUrl } = at
  const people = editors > 0 ? await Editors.signIn(at, tally) : undefined
  const shouldContinue = () => working
  const mix = runMix({ baseUrl, origins: [baseUrl], workers: 8, tally, shouldContinue })
  const edits = people?.work(editors, shouldContinue)
  try {
    await goOn(tally)
    await during()
    await ready(at)
    await goOn(tally)
  } finally {
    working = false
    await Promise.all([mix, edits])
  }
  return tally
}

function goOn(tally: Tally): Promise<void> {
  return expect.poll(() => tally.requests).toBeGreaterThan(tally.requests + 100)
}

export async function ready({ origins }: TestCluster): Promise<void> {
  for (const origin of origins) {
    const status = async () => (await fetch(`${origin}/readyz`)).status
    await expect.poll(status).toBe(200)
  }
}

/** Everything that the installations left in Redis expires. */
export async function expectNothingEndless({ redis }: TestCluster): Promise<void> {
  const port = `${redis.port}`
  const keys = (await cli('-p', port, 'keys', '*')).split('\n')
  expect(keys.length).toBeGreaterThan(100)
  expect(await cli('-p', port, 'eval', KEYS_WITHOUT_END, '0')).toBe('0')
}
