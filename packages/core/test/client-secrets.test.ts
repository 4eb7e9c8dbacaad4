import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import { bodyOf, type ClientAnswer, codeFor, redeem, refresh, register, tokensFor } from './client.ts'
import { openService, REDIRECT_URI, type Service } from './service.ts'

/** Two secrets of one client, and secrets that end. */

const HOUR = 3600
const DAY = 24 * HOUR

async function withClient(service = openService(), metadata: object = {}) {
  const { clientId, clientSecret = '' } = await service.server.clients.add({
    clientName: 'Portal',
    redirectUris: [REDIRECT_URI],
    ...metadata,
  })
  return { service, clients: service.server.clients, clientId, first: clientSecret }
}

/** Introspection needs nothing but the authentication of the client. */
async function statusOf(service: Service, { clientId, clientSecret = '' }: ClientAnswer): Promise<number> {
  const form = { token: 'x', client_id: clientId, client_secret: clientSecret }
  return (await service.send('POST', '/api/oauth/introspect', { form })).status
}

/** What the server answers to each secret. */
function statusesOf(service: Service, clientId: string, secrets: readonly string[]): Promise<number[]> {
  return Promise.all(secrets.map((clientSecret) => statusOf(service, { clientId, clientSecret })))
}

const typesOf = (service: Service, type: string) => service.events.filter((event) => event.type === type)

describe('a rotated client secret', () => {
  it('works at once, and the older one for the overlap', async () => {
    const { service, clients, clientId, first } = await withClient()
    const rotated = await clients.rotateSecret(clientId, { overlap: HOUR })
    const endsAt = service.clock.now + HOUR
    expect(rotated).toEqual({
      clientId,
      clientSecret: expect.stringMatching(/^[\w-]{43}$/),
      clientSecretExpiresAt: 0,
      oldSecretEndsAt: endsAt,
    })
    const both = [first, rotated.clientSecret]
    expect(await statusesOf(service, clientId, both)).toEqual([200, 200])
    service.clock.now = endsAt - 1
    expect(await statusesOf(service, clientId, both)).toEqual([200, 200])
    service.clock.now = endsAt
    expect(await statusesOf(service, clientId, both)).toEqual([401, 200])
    expect(service.events.at(-1)).toMatchObject({ type: 'refused', reason: 'client_secret_expired' })
  })

  it('has an overlap of one day unless told otherwise', async () => {
    const { service, clients, clientId } = await withClient()
    expect(await clients.rotateSecret(clientId)).toMatchObject({ oldSecretEndsAt: service.clock.now + DAY })
  })

  it('may overlap for 30 days and live for ten years', async () => {
    const { service, clients, clientId } = await withClient()
    const { now } = service.clock
    const longest = { overlap: 30 * DAY, expiresIn: 3650 * DAY }
    expect(await clients.rotateSecret(clientId, longest)).toMatchObject({
      oldSecretEndsAt: now + 30 * DAY,
      clientSecretExpiresAt: now + 3650 * DAY,
    })
  })

  it('keeps codes, grants and tokens', async () => {
    const { service, clients, clientId, first } = await withClient()
    const code = await codeFor(service, clientId)
    const tokens = await tokensFor(service, { clientId, clientSecret: first })
    const { clientSecret } = await clients.rotateSecret(clientId, { overlap: 0 })
    expect((await redeem(service, { clientId, clientSecret }, code)).status).toBe(200)
    expect((await service.callApi(tokens.access_token)).kind).toBe('authorized')
    expect((await refresh(service, { clientId, clientSecret }, tokens.refresh_token)).status).toBe(200)
  })

  it('CS-01: a rotation without an overlap ends a leaked secret, and every other one, at once', async () => {
    const { service, clients, clientId, first } = await withClient()
    const second = await clients.rotateSecret(clientId)
    const third = await clients.rotateSecret(clientId, { overlap: 0 })
    expect(third).not.toHaveProperty('oldSecretEndsAt')
    const all = [first, second.clientSecret, third.clientSecret]
    expect(await statusesOf(service, clientId, all)).toEqual([401, 401, 200])
    expect(service.events.at(-1)).toMatchObject({ reason: 'client_secret_wrong' })
  })

  it('CS-02: of two rotations at once one fails, and the secrets of the other one work', async () => {
    const { service, clients, clientId, first } = await withClient()
    const results = await Promise.allSettled([clients.rotateSecret(clientId), clients.rotateSecret(clientId)])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { status: 409, reason: 'client_changed_meanwhile' },
    })
    const [won] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(await statusesOf(service, clientId, [first, won?.clientSecret ?? ''])).toEqual([200, 200])
  })

  it('CS-03: no rotation makes a third secret live, and none ends the one in use: it is refused while two are live', async () => {
    const { service, clients, clientId, first } = await withClient()
    const { clientSecret } = await clients.rotateSecret(clientId, { overlap: HOUR })
    await expect(clients.rotateSecret(clientId)).rejects.toMatchObject({
      status: 409,
      reason: 'two_secrets_live',
    })
    expect(await statusesOf(service, clientId, [first, clientSecret])).toEqual([200, 200])
    service.clock.now += HOUR
    await clients.rotateSecret(clientId)
    expect(await statusesOf(service, clientId, [first, clientSecret])).toEqual([401, 200])
  })

  it('can replace a new secret that was lost with its answer, and the one in use goes on', async () => {
    const { service, clients, clientId, first } = await withClient()
    const lost = await clients.rotateSecret(clientId, { overlap: HOUR })
    const found = await clients.rotateSecret(clientId, { newSecretLost: true })
    expect(found.oldSecretEndsAt).toBe(lost.oldSecretEndsAt)
    const all = [first, lost.clientSecret, found.clientSecret]
    expect(await statusesOf(service, clientId, all)).toEqual([200, 401, 200])
  })

  it('CS-04: the overlap of a rotation makes no secret live longer than it would have', async () => {
    const { service, clients, clientId } = await withClient(undefined, { clientSecretExpiresIn: HOUR })
    const end = service.clock.now + HOUR
    expect(await clients.rotateSecret(clientId)).toMatchObject({ oldSecretEndsAt: end })
  })

  it('takes the place of one that has ended', async () => {
    const { service, clients, clientId, first } = await withClient(undefined, { clientSecretExpiresIn: HOUR })
    service.clock.now += HOUR
    const { clientSecret, ...rotated } = await clients.rotateSecret(clientId)
    expect(rotated).not.toHaveProperty('oldSecretEndsAt')
    expect(await statusesOf(service, clientId, [first, clientSecret])).toEqual([401, 200])
  })

  it.each([
    ['overlap', -1],
    ['overlap', 30 * DAY + 1],
    ['overlap', 0.5],
    ['overlap', Number.NaN],
    ['expiresIn', 0],
    ['expiresIn', 3650 * DAY + 1],
    ['expiresIn', Number.POSITIVE_INFINITY],
  ])('is refused with %s %d', async (option, seconds) => {
    const { service, clients, clientId, first } = await withClient()
    const refused = clients.rotateSecret(clientId, { [option]: seconds })
    await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringContaining(option) })
    expect(await statusesOf(service, clientId, [first])).toEqual([200])
  })

  it('is refused for a client without a secret, and for one that does not exist', async () => {
    const service = openService()
    const { clientId } = await register(service)
    const { clients } = service.server
    await expect(clients.rotateSecret(clientId)).rejects.toMatchObject({ reason: 'client_without_secret' })
    await expect(clients.rotateSecret('nobody')).rejects.toMatchObject({ status: 404 })
    await expect(clients.dropOldSecret('nobody')).rejects.toMatchObject({ status: 404 })
  })

  it('CS-05: no secret and no hash of one is in an event, a view or a list', async () => {
    const { service, clients, clientId } = await withClient()
    const { clientSecret, oldSecretEndsAt } = await clients.rotateSecret(clientId)
    expect(service.events.at(-1)).toEqual({ type: 'client_secret_rotated', clientId, oldSecretEndsAt })
    const texts = JSON.stringify([service.events, await clients.find(clientId), await clients.list()])
    const { secretHash, oldSecretHash } = (await service.store.clients.find(clientId))?.value ?? {}
    for (const secret of [clientSecret, secretHash, oldSecretHash]) expect(texts).not.toContain(secret)
  })
})

describe('the older secret', () => {
  it('can be ended before its time', async () => {
    const { service, clients, clientId, first } = await withClient()
    const { clientSecret } = await clients.rotateSecret(clientId)
    expect(await clients.dropOldSecret(clientId)).toBe(true)
    expect(service.events.at(-1)).toEqual({ type: 'client_old_secret_dropped', clientId })
    expect(await statusesOf(service, clientId, [first, clientSecret])).toEqual([401, 200])
    expect(await clients.dropOldSecret(clientId), 'again').toBe(false)
  })

  it.each([
    [HOUR - 1, true],
    [HOUR, false],
    [HOUR + 1, false],
  ])('can be ended %d seconds after the rotation, with an overlap of an hour: %s', async (late, live) => {
    const { service, clients, clientId } = await withClient()
    await clients.rotateSecret(clientId, { overlap: HOUR })
    service.clock.now += late
    expect(await clients.dropOldSecret(clientId), 'whether it was live').toBe(live)
    const dropped = { type: 'client_old_secret_dropped', clientId }
    expect(typesOf(service, 'client_old_secret_dropped')).toEqual(live ? [dropped] : [])
  })

  it('emits an event when it is used, once an hour for a client on all replicas', async () => {
    const store = createMemoryStore({ now: () => service.clock.now })
    const service = openService({ store })
    const { clients, clientId, first } = await withClient(service)
    const { clientSecret, oldSecretEndsAt: endsAt } = await clients.rotateSecret(clientId)
    const replica = openService({ store, now: () => service.clock.now })
    const use = async () => {
      for (const server of [service, replica, service, replica])
        await statusesOf(server, clientId, [first, clientSecret])
      return [...typesOf(service, 'old_secret_used'), ...typesOf(replica, 'old_secret_used')]
    }
    expect(await use()).toEqual([{ type: 'old_secret_used', clientId, endsAt }])
    service.clock.now += HOUR - 1
    expect(await use()).toHaveLength(1)
    service.clock.now += 1
    expect(await use()).toHaveLength(2)
  })

  const store = createMemoryStore()
  const down = store.transients && { ...store.transients, insert: () => Promise.reject(new Error('down')) }
  it.each([
    ['has no transients', undefined],
    ['cannot count the event', down],
  ])('works if the store %s, and each process emits the event', async (_, transients) => {
    const { service, clients, clientId, first } = await withClient(
      openService({ store: { ...store, transients } }),
    )
    await clients.rotateSecret(clientId)
    expect(await statusesOf(service, clientId, [first, first])).toEqual([200, 200])
    expect(typesOf(service, 'old_secret_used')).toHaveLength(1)
  })
})

describe('a client secret with an end', () => {
  it('is announced with its end, and is refused after it with a reason', async () => {
    const { service, clients, clientId, first } = await withClient(undefined, { clientSecretExpiresIn: DAY })
    const end = service.clock.now + DAY
    expect(await clients.find(clientId)).toMatchObject({ clientSecretExpiresAt: end })
    const code = await codeFor(service, clientId)
    service.clock.now = end - 1
    expect(await statusesOf(service, clientId, [first])).toEqual([200])
    service.clock.now = end
    const refused = await redeem(service, { clientId, clientSecret: first }, code)
    expect([refused.status, bodyOf(refused).error]).toEqual([401, 'invalid_client'])
    expect(service.events.at(-1)).toMatchObject({ reason: 'client_secret_expired' })
    await clients.rotateSecret(clientId, { expiresIn: 400 * DAY })
    expect(await clients.find(clientId)).toMatchObject({ clientSecretExpiresAt: end + 400 * DAY })
  })

  it('CS-06: a wrong secret gets the same error, whether the secret has ended or not', async () => {
    const { service, clientId } = await withClient(undefined, { clientSecretExpiresIn: 1 })
    service.clock.now += 1
    await statusesOf(service, clientId, ['a guess'])
    expect(service.events.at(-1)).toMatchObject({ reason: 'client_secret_wrong' })
  })

  it('has an event 30 days and 7 days before its end, once each', async () => {
    const { service, clientId, first } = await withClient(undefined, { clientSecretExpiresIn: 60 * DAY })
    const expiresAt = service.clock.now + 60 * DAY
    const daysTold = async (left: number) => {
      service.clock.now = expiresAt - left
      await statusesOf(service, clientId, [first, first])
      return typesOf(service, 'client_secret_expiring')
    }
    expect(await daysTold(30 * DAY + 1)).toEqual([])
    const early = { type: 'client_secret_expiring', clientId, expiresAt, days: 30 }
    expect(await daysTold(30 * DAY)).toEqual([early])
    expect(await daysTold(7 * DAY + 1)).toEqual([early])
    expect(await daysTold(7 * DAY)).toEqual([early, { ...early, days: 7 }])
    expect(await daysTold(1)).toHaveLength(2)
  })

  it('CS-07: a client that registers itself cannot set the end of its secret', async () => {
    const service = openService()
    const metadata = { token_endpoint_auth_method: 'client_secret_post', client_secret_expires_in: 5 }
    const client = await register(service, { ...metadata, client_secret_expires_at: 5 })
    expect(client).toMatchObject({ client_secret_expires_at: 0 })
    service.clock.now += 10
    expect(await statusOf(service, client)).toBe(200)
  })

  it('is refused for a client that has no secret', async () => {
    const { clients } = openService().server
    const metadata = { clientName: 'App', redirectUris: [REDIRECT_URI], tokenEndpointAuthMethod: 'none' }
    await expect(clients.add({ ...metadata, clientSecretExpiresIn: 5 })).rejects.toMatchObject({
      message: expect.stringContaining('clientSecretExpiresIn'),
    })
  })
})
