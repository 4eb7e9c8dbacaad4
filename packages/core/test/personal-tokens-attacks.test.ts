import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { device } from '@grantkit/core/device'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import { formatPersonalToken } from '../src/tokens/credential.ts'
import { authorizationQuery, authorize, credentials, register, requestToken } from './client.ts'
import { openPersonal, PERSONAL_SCOPES } from './personal-tokens-service.ts'
import { ISSUER, REDIRECT_URI } from './service.ts'

/** The rule that is documented for secret scanners. The secret is its first group. */
const GUIDE = join(import.meta.dirname, '../../../docs/how-to/personal-access-tokens.md')
const [, RULE = ''] = /^regex = '''(.+)'''$/m.exec(readFileSync(GUIDE, 'utf8')) ?? []

function secretsIn(text: string): (string | undefined)[] {
  return [...text.matchAll(new RegExp(RULE, 'g'))].map(([, secret]) => secret)
}

const EXCHANGE = { grant_type: TOKEN_EXCHANGE, subject_token_type: ACCESS_TOKEN_TYPE }
const GRANT_TYPES = ['authorization_code', 'refresh_token', TOKEN_EXCHANGE]

describe('a stolen personal access token', () => {
  it.each(['authorization_code', 'refresh_token', 'client_credentials', 'device_code', TOKEN_EXCHANGE])(
    'PT-01: the token endpoint gives nothing for a personal access token: %s',
    async (grantType) => {
      const name = grantType === 'device_code' ? 'urn:ietf:params:oauth:grant-type:device_code' : grantType
      const features = [tokenExchange(), clientCredentials()]
      const { create, service } = openPersonal({ server: { features } })
      const { text } = await create()
      const form = { grant_type: name, code: text, refresh_token: text, device_code: text }
      const more = { subject_token: text, subject_token_type: ACCESS_TOKEN_TYPE, redirect_uri: REDIRECT_URI }
      for (const client of [{ clientId: 'personal' }, await register(service)]) {
        const answer = await requestToken(service, { ...credentials(client), ...form, ...more })
        expect(answer.status, answer.body).toBeGreaterThanOrEqual(400)
        expect(answer.body).not.toContain('access_token"')
      }
    },
  )

  it('PT-01: an API exchanges no personal access token, although it may exchange the tokens of users', async () => {
    const { create, service } = openPersonal({ server: { features: [tokenExchange()] } })
    const { text } = await create()
    const api = await service.server.clients.add({
      ...{ clientName: 'API', redirectUris: [REDIRECT_URI], grantTypes: GRANT_TYPES },
      tokenExchangeResources: [ISSUER],
    })
    const answer = await requestToken(service, { ...credentials(api), ...EXCHANGE, subject_token: text })
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('invalid_request')])
  })

  it('PT-02: a personal access token opens neither UserInfo nor the registration of clients', async () => {
    const { create, service } = openPersonal({
      server: { registration: { initialAccessToken: true } } as never,
    })
    const { text } = await create()
    const headers = { authorization: `Bearer ${text}` }
    expect((await service.send('GET', '/api/oauth/userinfo', { headers })).status).toBeGreaterThanOrEqual(401)
    const json = { client_name: 'Mine', redirect_uris: [REDIRECT_URI] }
    expect((await service.send('POST', '/api/oauth/register', { headers, json })).status).toBe(401)
  })

  it('PT-03: the client of personal access tokens gets no code, also not by a pushed request', async () => {
    const features = [pushedAuthorizationRequests()]
    const { service } = openPersonal({ server: { features } })
    const query = authorizationQuery('personal', { scope: 'courses:read' })
    expect(await authorize(service, query)).toMatchObject({ status: 400 })
    expect(service.shown.consent).toBeUndefined()
    const pushed = await service.send('POST', '/api/oauth/par', { form: query })
    expect(pushed.status).toBeGreaterThanOrEqual(400)
  })

  it('PT-03: the client of personal access tokens gets no device code', async () => {
    const pages = { devicePage: async () => ({ status: 200, headers: {}, body: '' }) }
    const { service } = openPersonal({ server: { features: [device(pages as never)] } })
    const form = { client_id: 'personal', scope: 'courses:read' }
    const answer = await service.send('POST', '/api/oauth/device_authorization', { form })
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('unauthorized_client')])
  })
})

describe('the id `personal`', () => {
  it('PT-04: the id of the client of personal access tokens means no other client, also if a record has it', async () => {
    const store = createMemoryStore({ now: () => 1_800_000_000 })
    const { service } = openPersonal({ server: { store } })
    const own = await service.server.clients.find((await register(service)).clientId)
    await store.clients.insert('personal', { ...own, clientId: 'personal' } as never, 1_900_000_000)
    expect(await service.server.clients.find('personal')).toMatchObject({ redirectUris: [], grantTypes: [] })
  })

  it('PT-04: no client that registers gets the id of the client of personal access tokens', async () => {
    const { service } = openPersonal()
    expect((await register(service, { client_id: 'personal' })).clientId).toMatch(/^[0-9a-f]{32}$/)
  })
})

describe('a guess', () => {
  it('PT-05: a personal access token with a wrong checksum is refused without a read of the store', async () => {
    const real = createMemoryStore({ now: () => 1_800_000_000 })
    const reads: string[] = []
    const find = (id: string) => {
      reads.push(id)
      return real.grants.find(id)
    }
    const store = { ...real, grants: Object.assign(Object.create(real.grants), { find }) }
    const { create, call } = openPersonal({ server: { store } })
    const { text } = await create()
    reads.length = 0
    expect(await call(`${text.slice(0, -6)}000000`)).toMatchObject({ response: { status: 401 } })
    expect(reads).toEqual([])
    await call(text)
    expect(reads).toHaveLength(1)
  })

  it('PT-06: a right checksum is no proof: with another secret the token is refused like an unknown one', async () => {
    const { create, call } = openPersonal()
    const [one, other] = [await create(), await create()]
    const secret = other.text.slice(other.text.indexOf('.') + 1, -6)
    const guess = formatPersonalToken({ grantId: one.token.id, secret } as never)
    expect(await call(guess)).toEqual(await call(`gka_${one.token.id}.${secret}`))
  })
})

describe('scopes that come later', () => {
  it('PT-07: a personal access token gets no scope that the catalogue has later', async () => {
    const store = createMemoryStore({ now: () => 1_800_000_000 })
    const { text } = await openPersonal({ server: { store } }).create()
    const scopes = { ...PERSONAL_SCOPES, 'students:read': { description: 'See students', personal: true } }
    const later = openPersonal({ server: { store, scopes } })
    expect(later.tokens.scopes).toContain('students:read')
    expect(await later.call(text, { scope: 'students:read' })).toMatchObject({ response: { status: 403 } })
    expect(await later.tokens.list('alice')).toMatchObject([{ scopes: ['courses:read'] }])
  })
})

describe('a token of another user', () => {
  it('PT-08: a user neither sees nor ends the personal access tokens of others, nor other grants by their page', async () => {
    const { create, tokens, call, service } = openPersonal()
    const { text, token } = await create({ subject: 'bob' })
    expect(await tokens.list('alice')).toEqual([])
    expect(await tokens.end('alice', token.id)).toBe(false)
    expect(await tokens.end('bob', 'x'.repeat(22))).toBe(false)
    expect(await call(text)).toMatchObject({ kind: 'authorized' })
    const grant = (await service.store.grants.find(token.id))?.value
    const { origin: _, ...other } = { ...grant, id: 'o'.repeat(22) }
    await service.store.grants.insert(other.id, other as never, 1_900_000_000)
    expect(await tokens.end('bob', other.id)).toBe(false)
  })
})

describe('the documented rule for secret scanners', () => {
  it('finds the text of every token in code and configuration', async () => {
    const { create, tokens } = openPersonal({ tokens: { perUser: 100 } })
    for (let count = 0; count < 50; count++) {
      const { text } = await create()
      const places = [
        `TOKEN=${text}`,
        `"${text}"`,
        `Authorization: Bearer ${text}\n`,
        `?t=${text}&x`,
        `(${text}).`,
      ]
      expect(places.flatMap(secretsIn)).toEqual(places.map(() => text))
    }
    expect(await tokens.list('alice')).toHaveLength(50)
  })

  it('finds no other credential', () => {
    const texts = [
      `gka_${'g'.repeat(22)}.${'s'.repeat(43)}`,
      `gkp_${'g'.repeat(22)}`,
      `gkp_${'g'.repeat(22)}.x`,
    ]
    expect(texts.flatMap(secretsIn)).toEqual([])
  })
})
