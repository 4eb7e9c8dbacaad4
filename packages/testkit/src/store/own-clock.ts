import { expect, it } from 'vitest'
import { CLIENTS } from './record-kind.ts'
import type { Subject } from './subject.ts'

/** The first promise, since a store that breaks it fails in forty other tests that do not say why. */
export function clockPromises(subject: Subject): void {
  it('goes by the clock of the suite', async ({ signal }) =>
    expect(await clockFault(subject, signal)).toBeUndefined())
}

/** What is wrong with the clock of a store, for its author. */
export async function clockFault(
  { store, clock, realTime }: Subject,
  signal: AbortSignal,
): Promise<string | undefined> {
  const client = CLIENTS.marked('by which clock')
  const expiresAt = clock.now() + 2
  await store.clients.insert(client.clientId, client, expiresAt)
  const before = await store.clients.find(client.clientId)
  await clock.reach(expiresAt, signal)
  const after = await store.clients.find(client.clientId)
  if (before !== undefined && after === undefined) return undefined
  return realTime ? OTHER_TIME : OWN_CLOCK
}

const OWN_CLOCK =
  'Your store uses its own clock: let it use the `now` that the factory gets, or call describeStore with { realTime: true }.'
const OTHER_TIME =
  'Your store does not go by the real time: its server may have another clock, or it does not look at the expiry time.'
