import type { HttpResponse } from '@grantkit/core'
import { bodyOf, codeFor, redeem, refresh, register, type TokenAnswer, tokensFor } from '../client.ts'
import { ISSUER, REDIRECT_URI, type Service, VERIFIER } from '../service.ts'
import { type Fault, from } from './fault.ts'

async function byBasic(service: Service): Promise<HttpResponse> {
  const metadata = { token_endpoint_auth_method: 'client_secret_post' }
  const { clientId, clientSecret } = await register(service, metadata)
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
  const code = await codeFor(service, clientId)
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER }
  return service.send('POST', '/api/oauth/token', { form, headers: { authorization } })
}

async function refused(access: ReturnType<Service['callApi']>): Promise<HttpResponse> {
  const decided = await access
  if (decided.kind !== 'refused') throw new Error('The API answered the call')
  return decided.response
}

/** The token endpoint or the API refuses what the app sends. */
export const TOKEN_FAULTS: readonly Fault[] = [
  {
    fault: 'two processes of the app use one refresh token',
    provoke: async (service) => {
      const client = await register(service)
      const { refresh_token } = await tokensFor(service, client)
      const next = bodyOf<TokenAnswer>(await refresh(from('203.0.113.7', service), client, refresh_token))
      await refresh(service, client, next.refresh_token)
      service.clock.now += 1000
      return refresh(from('198.51.100.9', service), client, refresh_token)
    },
    verdict: 'refresh_token_reused',
    compared: {
      'first use': '2027-01-15T08:00:00.000Z',
      'second use': '2027-01-15T08:16:40.000Z from 198.51.100.0/24',
      'seconds between': '1000',
    },
  },
  {
    fault: 'a code is used twice',
    provoke: async (service) => {
      const client = await register(service)
      const code = await codeFor(service, client.clientId)
      await redeem(from('203.0.113.7', service), client, code)
      service.clock.now += 3
      return redeem(from('198.51.100.9', service), client, code)
    },
    verdict: 'code_replayed',
    compared: {
      'first use': '2027-01-15T08:00:00.000Z from 203.0.113.0/24',
      'second use': '2027-01-15T08:00:03.000Z from 198.51.100.0/24',
      'seconds between': '3',
    },
  },
  {
    fault: 'a code is used too late',
    provoke: async (service) => {
      const client = await register(service)
      const code = await codeFor(service, client.clientId)
      service.clock.now += 61
      return redeem(service, client, code)
    },
    verdict: 'code_expired',
    compared: { 'seconds since the code was sent': '61' },
  },
  {
    fault: 'redirect_uri of the token request differs',
    provoke: async (service) => {
      const client = await register(service)
      const code = await codeFor(service, client.clientId)
      return redeem(service, client, code, { redirect_uri: 'http://localhost:7001/callback' })
    },
    verdict: 'code_redirect_uri_mismatch',
    compared: {
      'redirect_uri of the authorization request': REDIRECT_URI,
      'redirect_uri of the token request': 'http://localhost:7001/callback',
    },
  },
  {
    fault: 'PKCE is wrong: two sign-ins are mixed up',
    provoke: async (service) => {
      const client = await register(service)
      const code = await codeFor(service, client.clientId)
      return redeem(service, client, code, { code_verifier: VERIFIER.toLowerCase() })
    },
    verdict: 'code_verifier_mismatch',
  },
  {
    fault: 'the client authenticates in the wrong way',
    options: { clientAuthentication: ['none', 'client_secret_post', 'client_secret_basic'] },
    provoke: async (service) => {
      const client = await register(service)
      const code = await codeFor(service, client.clientId)
      return redeem(service, client, code, { client_secret: 'a secret of another server' })
    },
    verdict: 'client_auth_method_mismatch',
  },
  {
    fault: 'the client authenticates by HTTP Basic, which is not offered',
    options: { clientAuthentication: ['none', 'client_secret_post'] },
    provoke: (service) => byBasic(service),
    verdict: 'client_basic_not_offered',
  },
  {
    fault: 'the app does not follow the step-up to a further scope',
    provoke: async (service) => {
      const { access_token } = await tokensFor(service, await register(service))
      return refused(service.callApi(access_token, 'courses:write'))
    },
    verdict: 'bearer_scope_missing',
    compared: { 'scope allowed': 'openid profile courses:read' },
  },
  {
    fault: 'the token is good, and for another API',
    provoke: async (service) => {
      const resource = `${ISSUER}/mcp`
      const { access_token } = await tokensFor(service, await register(service), { resource })
      return refused(service.callApi(access_token))
    },
    verdict: 'bearer_wrong_audience',
    compared: { 'resource of the token': `${ISSUER}/mcp`, 'resource of the API': ISSUER },
  },
]
