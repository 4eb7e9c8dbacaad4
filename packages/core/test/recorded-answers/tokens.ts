import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { bodyOf, type ClientAnswer, codeFor, credentials, register, type TokenAnswer } from '../client.ts'
import { fixedProvingKey } from '../dpop-key.ts'
import { ISSUER, REDIRECT_URI, VERIFIER } from '../service.ts'
import { ED25519_KEY } from './published-keys.ts'
import { MCP, type Recording } from './recording.ts'

const GRANT_TYPES = ['authorization_code', 'refresh_token', TOKEN_EXCHANGE]

/** Every grant type, introspection and revocation. */
export async function tokenAnswers(recording: Recording): Promise<void> {
  const client = await register(recording.service, { grant_types: GRANT_TYPES })
  const tokens = await grantAnswers(recording, client)
  await clientCredentialsAnswers(recording)
  await exchangeAnswers(recording, client, tokens)
  await boundAnswers(recording, client)
  await useAnswers(recording, tokens)
  await endAnswers(recording, client, tokens)
}

const tokenRequest = ({ ask }: Recording, title: string, form: Record<string, string>, headers = {}) =>
  ask(title, 'POST', '/api/oauth/token', { form, headers })

const redemption = (client: ClientAnswer, code: string) => ({
  ...credentials(client),
  grant_type: 'authorization_code',
  code,
  redirect_uri: REDIRECT_URI,
  code_verifier: VERIFIER,
})

async function grantAnswers(recording: Recording, client: ClientAnswer): Promise<TokenAnswer> {
  const code = await codeFor(recording.service, client.clientId, { nonce: 'a nonce' })
  const first = bodyOf<TokenAnswer>(await tokenRequest(recording, 'a code', redemption(client, code)))
  await tokenRequest(recording, 'a code that is unknown', redemption(client, 'x'))
  const refresh = { ...credentials(client), grant_type: 'refresh_token' }
  const form = { ...refresh, refresh_token: first.refresh_token }
  const next = bodyOf<TokenAnswer>(await tokenRequest(recording, 'a refresh token', form))
  await tokenRequest(recording, 'a refresh token that is unknown', { ...refresh, refresh_token: 'x' })
  await tokenRequest(recording, 'a grant type that is unknown', { ...refresh, grant_type: 'password' })
  return next
}

async function clientCredentialsAnswers(recording: Recording): Promise<void> {
  const job = await recording.service.server.clients.add({
    clientName: 'Nightly job',
    redirectUris: [],
    grantTypes: ['client_credentials'],
    clientCredentialsScopes: ['courses:read'],
  })
  const form = { ...credentials(job), grant_type: 'client_credentials' }
  await tokenRequest(recording, 'client credentials', form)
  await tokenRequest(recording, 'client credentials for too much', { ...form, scope: 'courses:write' })
}

async function exchangeAnswers(recording: Recording, client: ClientAnswer, { access_token }: TokenAnswer) {
  const types = { grant_type: TOKEN_EXCHANGE, subject_token_type: ACCESS_TOKEN_TYPE }
  const form = { ...credentials(client), ...types, subject_token: access_token }
  await tokenRequest(recording, 'a token exchange', { ...form, scope: 'courses:read' })
  await tokenRequest(recording, 'a token exchange for too much', { ...form, scope: 'students:read' })
}

/** Bound to a key (RFC 9449), and signed for one resource (RFC 9068). */
async function boundAnswers(recording: Recording, client: ClientAnswer): Promise<void> {
  const { service } = recording
  const code = await codeFor(service, client.clientId, { resource: MCP, scope: 'courses:read' })
  const claims = { jti: 'a proof', htm: 'POST', htu: `${ISSUER}/api/oauth/token`, iat: service.clock.now }
  const dpop = fixedProvingKey(ED25519_KEY).proof(claims)
  const form = redemption(client, code)
  await tokenRequest(recording, 'a proof that is malformed', form, { dpop: 'x' })
  await tokenRequest(recording, 'a bound and signed token', form, { dpop })
}

async function useAnswers({ ask, service }: Recording, { access_token }: TokenAnswer): Promise<void> {
  const bearer = { headers: { authorization: `Bearer ${access_token}` } }
  const userinfo = '/api/oauth/userinfo'
  await ask('UserInfo', 'GET', userinfo, bearer)
  await ask('UserInfo without a token', 'GET', userinfo)
  await ask('UserInfo with a token that is unknown', 'GET', userinfo, {
    headers: { authorization: 'Bearer x' },
  })
  await ask('forward auth', 'GET', '/api/oauth/verify', bearer)
  await ask('forward auth for a scope', 'GET', '/api/oauth/verify', {
    ...bearer,
    query: 'scope=students:read',
  })
  await ask('forward auth without a token', 'GET', '/api/oauth/verify')

  const api = await service.server.clients.add({
    clientName: 'API',
    redirectUris: [],
    resourceServer: true,
  })
  const introspect = (title: string, token: string) =>
    ask(title, 'POST', '/api/oauth/introspect', { form: { ...credentials(api), token } })
  await introspect('introspection', access_token)
  await introspect('introspection of a token that is unknown', 'x')
  await ask('the revocation feed', 'POST', '/api/oauth/ended', { form: credentials(api) })
}

async function endAnswers({ ask }: Recording, client: ClientAnswer, { refresh_token }: TokenAnswer) {
  const form = { ...credentials(client), token: refresh_token }
  await ask('revocation', 'POST', '/api/oauth/revoke', { form })
  await ask('revocation of no token', 'POST', '/api/oauth/revoke', { form: credentials(client) })
}
