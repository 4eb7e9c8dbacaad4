import { createHash, createHmac } from 'node:crypto'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import { dpopNonces } from '../src/features/dpop/dpop-proof.ts'
import { sha256 } from '../src/kernel/secrets.ts'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  credentials,
  decide,
  redeem,
  redirectOf,
  refresh,
  register,
  type TokenAnswer,
  tokensFor,
} from './client.ts'
import { openDeviceService } from './device-service.ts'
import { openService, type Service } from './service.ts'

/** The secret of the server changes while the old one is accepted, and then the old one is dropped. */

const OLD = 'the old secret, of 32 characters or more'
const NEW = 'the new secret, of 32 characters or more'

/** One store and clock, and one server per secret. */
function openServices() {
  const clock = { now: 1_800_000_000 }
  const now = () => clock.now
  const store = createMemoryStore({ now })
  const open = (secret: string | readonly [string, ...string[]]) =>
    openService({ store, now, secret, features: [pushedAuthorizationRequests()] })
  const [before, meanwhile, after] = [open(OLD), open([NEW, OLD]), open(NEW)]
  return { clock, store, before, meanwhile, after }
}

/** The form that one server issued is sent to another. */
function decideAt(service: Service, { shown }: Service) {
  Object.assign(service.shown, shown)
  return decide(service)
}

const grantOf = (token: string) => token.slice('gkr_'.length, 'gkr_'.length + 22)

describe('a form that was shown before the change of the secret', () => {
  it('is accepted while the old secret is accepted, with one code for any number of submissions', async () => {
    const { before, meanwhile } = openServices()
    const client = await register(before)
    await authorize(before, authorizationQuery(client.clientId))
    const codes = [await decideAt(meanwhile, before), await decide(before)].map(
      (answer) => redirectOf(answer).code,
    )
    expect(codes[1]).toBe(codes[0])
    expect((await redeem(meanwhile, client, String(codes[0]))).status).toBe(200)
  })

  it('is rejected once the old secret is dropped', async () => {
    const { before, after } = openServices()
    const client = await register(before)
    await authorize(before, authorizationQuery(client.clientId))
    expect(redirectOf(await decideAt(after, before))).not.toHaveProperty('code')
  })

  it('and one that was shown after it open one grant, if both belong to one pushed request', async () => {
    const { before, meanwhile } = openServices()
    const client = await register(before)
    const requested = Object.fromEntries(new URLSearchParams(authorizationQuery(client.clientId)))
    const form = { ...requested, ...credentials(client) }
    const push = await before.send('POST', '/api/oauth/par', { form })
    const { request_uri } = bodyOf<{ request_uri: string }>(push)
    const query = String(new URLSearchParams({ client_id: client.clientId, request_uri }))
    const marked = String((await authorize(before, query)).headers.location).split('?')[1] ?? ''
    for (const service of [before, meanwhile]) await authorize(service, marked)
    expect(redirectOf(await decide(meanwhile))).toHaveProperty('code')
    expect(redirectOf(await decideAt(meanwhile, before))).not.toHaveProperty('code')
    expect((await meanwhile.server.grants.list('alice')).grants).toHaveLength(1)
  })
})

describe('a refresh whose answer was lost before the change of the secret', () => {
  it('is repeated while the old secret is accepted; later it is rejected, and revokes nothing', async () => {
    const { before, meanwhile, after, store, clock } = openServices()
    const client = await register(before)
    const { refresh_token } = await tokensFor(before, client)
    const lost = bodyOf<TokenAnswer>(await refresh(before, client, refresh_token))
    clock.now += 75
    expect(bodyOf(await refresh(meanwhile, client, refresh_token))).toMatchObject({
      refresh_token: lost.refresh_token,
    })
    expect(bodyOf(await refresh(after, client, refresh_token)).error).toBe('invalid_grant')
    expect(after.events.at(-1)).toMatchObject({ reason: 'refresh_retry_key_gone' })
    expect(await store.grants.find(grantOf(refresh_token))).toBeDefined()
    expect((await refresh(after, client, lost.refresh_token)).status).toBe(200)
  })
})

describe('a device', () => {
  it('keeps working across the change: its user code is accepted and a lost response is repeated; later a retry is rejected', async () => {
    const clock = { now: 1_800_000_000 }
    const now = () => clock.now
    const server = { store: createMemoryStore({ now }), now }
    const before = await openDeviceService({ server: { ...server, secret: OLD } })
    const meanwhile = await openDeviceService({ server: { ...server, secret: [NEW, OLD] } })
    const after = await openDeviceService({ server: { ...server, secret: NEW } })
    const started = await before.start()
    await meanwhile.approve(started)
    const form = { client_id: before.tool.clientId }
    const lost = bodyOf(await before.poll(started))
    expect(bodyOf(await meanwhile.poll(started, form))).toMatchObject({ refresh_token: lost.refresh_token })
    expect(bodyOf(await after.poll(started, form)).error).toBe('invalid_grant')
    expect(after.service.events.at(-1)).toMatchObject({ reason: 'device_retry_key_gone' })
    expect((await refresh(before.service, before.tool, String(lost.refresh_token))).status).toBe(200)
  })
})

describe('a DPoP nonce', () => {
  it('of the old secret is accepted and replaced, until that is dropped', () => {
    const nonces = (...secrets: [string, ...string[]]) => dpopNonces(secrets, 'https://a.example')
    const nonce = nonces(OLD).newest(1000)
    expect(nonces(NEW, OLD).accepts(nonce, 1000)).toBe(true)
    expect(nonces(NEW, OLD).aged(nonce, 1000)).toBe(true)
    expect(nonces(NEW, OLD).newest(1000)).toBe(nonces(NEW).newest(1000))
    expect(nonces(NEW).accepts(nonce, 1000)).toBe(false)
  })
})

describe('a thief with a copy of the store and a spent refresh token', () => {
  it('cannot compute the live tokens from them', async () => {
    const { before, store } = openServices()
    const client = await register(before)
    const { refresh_token } = await tokensFor(before, client)
    await refresh(before, client, refresh_token)
    const grant = (await store.grants.find(grantOf(refresh_token)))?.value
    const secret = refresh_token.split('.').at(-1)
    const dump = JSON.stringify(grant)
    const texts = [...dump.matchAll(/"([^"]+)"/g)].map(([, text]) => String(text))
    const guesses = texts.flatMap((key) => {
      const text = `${secret}${grant?.refresh?.previous?.salt}`
      const digests = [
        createHash('sha512').update(text).digest('base64url'),
        createHmac('sha512', key).update(text).digest('base64url'),
        createHmac('sha512', Buffer.from(key, 'base64url')).update(text).digest('base64url'),
      ]
      return digests.map((digest) => sha256(digest.slice(0, 43)))
    })
    const live = grant?.accessTokens.map(({ hash }) => hash) ?? []
    expect(live).toHaveLength(2)
    expect(guesses.filter((guess) => live.includes(guess))).toEqual([])
  })
})

it('a secret of which one is short is refused at creation', () => {
  expect(() => openService({ secret: [NEW, 'short'] })).toThrow('secret must have at least 32 characters')
})
