import { describe, expect, it } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  codeFor,
  decide,
  introspected,
  redeem,
  refresh,
  requestToken,
  tokensFor,
} from './client.ts'
import { provingKey } from './dpop-key.ts'
import { type At, authenticated, commonClient, get, HOSTS, openIssuers, PATHS } from './issuers-service.ts'
import { REDIRECT_URI } from './service.ts'
import { assertionForm, assertionOf, newKey } from './signed-assertions.ts'

/** What one issuer has given out, presented at each of the others. */

describe('a credential of one issuer is none at another', () => {
  it.each<[string, (from: At, to: At) => Promise<unknown>, unknown]>([
    [
      'an access token, at an API',
      async (from, to) => {
        const { access_token } = await tokensFor(from, await commonClient(from, to))
        const call = get('/courses', { authorization: `Bearer ${access_token}` })
        return (await to.api.access(call)).kind
      },
      'refused',
    ],
    [
      'an access token, at UserInfo',
      async (from, to) => {
        const { access_token } = await tokensFor(from, await commonClient(from, to))
        const headers = { authorization: `Bearer ${access_token}` }
        return (await to.send('GET', '/api/oauth/userinfo', { headers })).status
      },
      401,
    ],
    [
      'an access token, at introspection',
      async (from, to) =>
        introspected(to, (await tokensFor(from, await commonClient(from, to))).access_token),
      { active: false },
    ],
    [
      'a refresh token',
      async (from, to) => {
        const client = await commonClient(from, to)
        const { refresh_token } = await tokensFor(from, client)
        const answers = [await refresh(to, client, refresh_token), await refresh(from, client, refresh_token)]
        return answers.map(({ status }) => status)
      },
      [400, 200],
    ],
    [
      'a refresh token, at revocation',
      async (from, to) => {
        const client = await commonClient(from, to)
        const { refresh_token: token } = await tokensFor(from, client)
        await to.send('POST', '/api/oauth/revoke', { form: { token, ...authenticated(client) } })
        return (await refresh(from, client, token)).status
      },
      200,
    ],
    [
      'a code',
      async (from, to) => {
        const client = await commonClient(from, to)
        const code = await codeFor(from, client.clientId)
        return bodyOf(await redeem(to, client, code)).error
      },
      'invalid_grant',
    ],
    [
      'a pushed request',
      async (from, to) => {
        const client = await commonClient(from, to)
        const form = { ...Object.fromEntries(new URLSearchParams(authorizationQuery(client.clientId))) }
        const pushed = await from.send('POST', '/api/oauth/par', {
          form: { ...form, ...authenticated(client) },
        })
        const { request_uri = '' } = bodyOf<Record<string, string>>(pushed)
        const query = new URLSearchParams({ client_id: client.clientId, request_uri })
        return [pushed.status, (await authorize(to, String(query))).body]
      },
      [201, 'request_uri_unknown'],
    ],
    [
      'the ticket of a consent page',
      async (from, to) => {
        const client = await commonClient(from, to)
        const query = authorizationQuery(client.clientId)
        await authorize(from, query)
        await authorize(to, query)
        const answer = await decide(to, { ticket: String(from.shown.consent?.ticket) })
        return String(answer.headers.location).includes('code=')
      },
      false,
    ],
    [
      'a device code',
      async (from, to) => {
        const client = await commonClient(from, to)
        const form = { ...authenticated(client), scope: 'courses:read' }
        const started = bodyOf(await from.send('POST', '/api/oauth/device_authorization', { form }))
        const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code' }
        const poll = { ...grant, ...authenticated(client), device_code: String(started.device_code) }
        return [bodyOf(await requestToken(to, poll)).error, bodyOf(await requestToken(from, poll)).error]
      },
      ['invalid_grant', 'authorization_pending'],
    ],
    [
      'an auth_req_id',
      async (from, to) => {
        const client = await commonClient(from, to)
        const form = { ...authenticated(client), scope: 'openid', login_hint: 'alice' }
        const asked = bodyOf(await from.send('POST', '/api/oauth/bc-authorize', { form }))
        const grant = { grant_type: 'urn:openid:params:grant-type:ciba' }
        const poll = { ...grant, ...authenticated(client), auth_req_id: String(asked.auth_req_id) }
        return [bodyOf(await requestToken(to, poll)).error, bodyOf(await requestToken(from, poll)).error]
      },
      ['invalid_grant', 'authorization_pending'],
    ],
    [
      'a personal access token',
      async (from, to) => {
        const request = { subject: 'alice', label: 'CI', scopes: ['courses:read'] }
        const { text } = await from.tokens.create({ ...request, resources: [from.server.issuer] })
        const call = get('/courses', { authorization: `Bearer ${text}` })
        const kinds = [to, from].map(({ api }) => api.allowing({ personalTokens: true }).access(call))
        return (await Promise.all(kinds)).map(({ kind }) => kind)
      },
      ['refused', 'authorized'],
    ],
    [
      'an initial access token',
      async (from, to) => {
        const { token } = await from.server.clients.addInitialAccessToken({ label: 'Partners' })
        const json = { redirect_uris: [REDIRECT_URI] }
        const message = { json, headers: { authorization: `Bearer ${token}` } }
        const answers = [to, from].map((at) => at.send('POST', '/api/oauth/register', message))
        return (await Promise.all(answers)).map(({ status }) => status)
      },
      [401, 201],
    ],
    [
      'the secret of a client',
      async (from, to) => {
        const client = await from.server.clients.add({
          redirectUris: [],
          clientName: 'API',
          resourceServer: true,
        })
        const form = { token: 'x', ...authenticated(client) }
        const answers = [to, from].map((at) => at.send('POST', '/api/oauth/introspect', { form }))
        return (await Promise.all(answers)).map(({ status }) => status)
      },
      [401, 200],
    ],
    [
      'the assertion of a client',
      async (from, to) => {
        const key = await newKey()
        const metadata = { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [key.jwk] } } as const
        const { clientId } = await commonClient(from, to, metadata)
        const assertion = await assertionOf(from, key, clientId, { aud: from.server.issuer })
        const form = { token: 'x', ...assertionForm(assertion) }
        const answers = [to, from].map((at) => at.send('POST', '/api/oauth/introspect', { form }))
        return (await Promise.all(answers)).map(({ status }) => status)
      },
      [401, 200],
    ],
    [
      'a nonce for proofs',
      async (from, to) => {
        const key = provingKey('EdDSA')
        const ask = async (at: At, nonce?: string) => {
          const htu = `${at.server.issuer}/api/oauth/token`
          const proof = key.proof({ jti: String(nonce), htm: 'POST', htu, iat: at.clock.now, nonce })
          const form = { grant_type: 'refresh_token', refresh_token: 'x', ...authenticated(client) }
          return at.send('POST', '/api/oauth/token', { form, headers: { dpop: proof } })
        }
        const client = await commonClient(from, to)
        const nonce = String((await ask(from)).headers['dpop-nonce'])
        return [bodyOf(await ask(to, nonce)).error, bodyOf(await ask(from, nonce)).error]
      },
      ['use_dpop_nonce', 'invalid_grant'],
    ],
    [
      'the id of a grant, for an operator',
      async (from, to) => {
        await tokensFor(from, await commonClient(from, to))
        const { grants } = await from.server.grants.list('alice')
        return to.server.grants.revoke('alice', String(grants[0]?.id))
      },
      false,
    ],
  ])('%s', async (_, attack, expected) => {
    const { serviceAt } = openIssuers()
    const keys = [...PATHS, ...HOSTS]
    const pairs = keys.flatMap((from) => keys.filter((to) => to !== from).map((to) => [from, to] as const))
    const seen = []
    for (const [from, to] of pairs)
      seen.push([from, to, await attack(await serviceAt(from), await serviceAt(to))])
    expect(seen).toEqual(pairs.map((pair) => [...pair, expected]))
  })
})
