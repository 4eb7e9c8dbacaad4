import type { Store } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  codeFor,
  credentials,
  decide,
  redeem,
  refresh,
  register,
  type TokenAnswer,
  tokensFor,
} from './client.ts'
import { openDeviceService } from './device-service.ts'
import { openService, type Service } from './service.ts'

/** Counts how often a request waits for the store. Parallel waits count once. */
function countingStore(now: () => number): { store: Store; waits: { count: number } } {
  const real = createMemoryStore({ now })
  const waits = { count: 0 }
  let requested = false
  const counted = <T extends object | undefined>(records: T): T =>
    records &&
    new Proxy(records, {
      get:
        (target, verb) =>
        async (...input: unknown[]) => {
          if (!requested) waits.count += 1
          requested = true
          // Long enough for all calls that do not need this response to start too.
          await new Promise((answered) => setImmediate(answered))
          requested = false
          return (Reflect.get(target, verb) as (...input: unknown[]) => unknown).apply(target, input)
        },
    })
  const { clients, grants, transients } = real
  const store = {
    clients: counted(clients),
    grants: counted(grants),
    transients: counted(transients),
  }
  return { store, waits }
}

async function openCounting() {
  const now = () => 1_800_000_000
  const { store, waits } = countingStore(now)
  const service = openService({ store, now })
  const client = await register(service, { token_endpoint_auth_method: 'client_secret_post' })
  async function waitsOf(work: (service: Service) => Promise<unknown>): Promise<number> {
    waits.count = 0
    await work(service)
    return waits.count
  }
  return { service, client, waitsOf }
}

describe('the round trips to the store', () => {
  it('are two for a code and two for a refresh: one parallel read, then one write', async () => {
    const { service, client, waitsOf } = await openCounting()
    const code = await codeFor(service, client.clientId)
    let tokens: TokenAnswer | undefined
    expect(
      await waitsOf(async () => (tokens = bodyOf<TokenAnswer>(await redeem(service, client, code)))),
    ).toBe(2)
    expect(await waitsOf(() => refresh(service, client, tokens?.refresh_token ?? ''))).toBe(2)
  })

  it('are one for an API call and one for introspection', async () => {
    const { service, client, waitsOf } = await openCounting()
    const { access_token } = await tokensFor(service, client)
    expect(await waitsOf(() => service.callApi(access_token))).toBe(1)
    const form = { ...credentials(client), token: access_token }
    expect(await waitsOf(() => service.send('POST', '/api/oauth/introspect', { form }))).toBe(1)
  })

  it('are one for a registration', async () => {
    const { service, waitsOf } = await openCounting()
    expect(await waitsOf(() => register(service))).toBe(1)
  })

  it('are two for the consent page, and four for its submission', async () => {
    const { service, client, waitsOf } = await openCounting()
    expect(await waitsOf(() => authorize(service, authorizationQuery(client.clientId)))).toBe(2)
    expect(await waitsOf(() => decide(service))).toBe(4)
  })

  it('are one for the claims of a user', async () => {
    const { service, client, waitsOf } = await openCounting()
    const { access_token } = await tokensFor(service, client)
    const headers = { authorization: `Bearer ${access_token}` }
    expect(await waitsOf(() => service.send('GET', '/api/oauth/userinfo', { headers }))).toBe(1)
  })

  it('are two for a revocation', async () => {
    const { service, client, waitsOf } = await openCounting()
    const { refresh_token } = await tokensFor(service, client)
    const form = { ...credentials(client), token: refresh_token }
    expect(await waitsOf(() => service.send('POST', '/api/oauth/revoke', { form }))).toBe(2)
  })
})

describe('the round trips of a device', () => {
  async function openDevice() {
    const now = () => 1_800_000_000
    const { store, waits } = countingStore(now)
    const opened = await openDeviceService({ server: { store, now } })
    const started = await opened.start()
    async function pollOf(started: { readonly device_code: string }) {
      waits.count = 0
      const { status } = await opened.poll(started)
      return { status, waits: waits.count }
    }
    return { ...opened, started, pollOf }
  }

  it('are one for a pending poll, and one for a rejected one', async () => {
    const { started, pollOf, enter, answer } = await openDevice()
    expect(await pollOf(started)).toEqual({ status: 400, waits: 1 })
    await enter(started.user_code)
    await answer('deny')
    expect(await pollOf(started)).toEqual({ status: 400, waits: 1 })
    expect(await pollOf({ device_code: 'gkd_unknown' })).toEqual({ status: 400, waits: 1 })
  })

  it('are two for the first tokens, and one for a repeated response', async () => {
    const { started, pollOf, approve } = await openDevice()
    await approve(started)
    expect(await pollOf(started)).toEqual({ status: 200, waits: 2 })
    expect(await pollOf(started)).toEqual({ status: 200, waits: 1 })
  })
})

describe('a grant that was prefetched', () => {
  it('is the one of the credential of this grant type, whatever else the form contains', async () => {
    const service = openService()
    const [mine, theirs] = [await register(service), await register(service)]
    const other = await tokensFor(service, theirs)
    const { refresh_token } = await tokensFor(service, mine)
    const code = await codeFor(service, theirs.clientId)
    expect((await refresh(service, mine, refresh_token, { code })).status).toBe(200)
    expect((await refresh(service, theirs, other.refresh_token)).status).toBe(200)
    expect((await redeem(service, theirs, code)).status, 'the code of the other is untouched').toBe(200)
  })
})
