import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import type { Kernel } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { sha256 } from '../kernel/secrets.ts'
import { clientsOf } from './client-record.ts'
import { dropOldSecret, rotateSecret } from './client-update.ts'

const NOW = 1_800_000_000
const DAY = 24 * 60 * 60

/** A kernel with one client, and the events that it emits. */
async function withClient(members: Partial<Client> = {}) {
  const { clients } = createMemoryStore({ now: () => NOW })
  const client = { clientId: 'app', secretHash: sha256('new'), ...members } as Client
  await clients.insert('app', client, NOW + DAY)
  const events: object[] = []
  const emit = (event: object) => void events.push(event)
  const random = (size: number) => new Uint8Array(size)
  const kernel = { store: { clients: clientsOf(clients, []) }, now: () => NOW, random, emit }
  return { kernel: kernel as unknown as Kernel, events }
}

describe('rotateSecret', () => {
  it('accepts the longest overlap and the longest lifetime', async () => {
    const { kernel } = await withClient()
    const longest = { overlap: 30 * DAY, expiresIn: 3650 * DAY }
    expect(await rotateSecret(kernel, 'app', longest)).toMatchObject({
      oldSecretEndsAt: NOW + 30 * DAY,
      clientSecretExpiresAt: NOW + 3650 * DAY,
    })
  })
})

describe('dropOldSecret', () => {
  it.each([
    ['ends in a second', NOW + 1, true],
    ['ends now', NOW, false],
    ['has ended', NOW - 1, false],
  ])('of an older secret that %s', async (_, oldSecretEndsAt, live) => {
    const { kernel, events } = await withClient({ oldSecretHash: sha256('old'), oldSecretEndsAt })
    expect(await dropOldSecret(kernel, 'app'), 'whether it was live').toBe(live)
    const dropped = { type: 'client_old_secret_dropped', clientId: 'app' }
    expect(events).toEqual(live ? [dropped] : [])
  })
})
