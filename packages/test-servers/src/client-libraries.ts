import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'

/** What the tests of openid-client and of oauth4webapi begin with. Both libraries refuse plain http unless allowed. */

export const REDIRECT_URI = 'http://127.0.0.1:49152/callback'

export const http = { [oauth.allowInsecureRequests]: true }

/** Registers openid-client, as a public client unless the metadata say otherwise. */
export function registered(
  baseUrl: string,
  metadata: Partial<oidc.ClientMetadata> = {},
  auth = oidc.None(),
): Promise<oidc.Configuration> {
  const usual = { client_name: 'openid-client', redirect_uris: [REDIRECT_URI] }
  const wanted = { ...usual, token_endpoint_auth_method: 'none', ...metadata }
  return oidc.dynamicClientRegistration(new URL(baseUrl), wanted, auth, {
    execute: [oidc.allowInsecureRequests],
  })
}

/** An authorization request with PKCE, and what openid-client compares its answer with. */
export async function authorizationRequest(parameters: Record<string, string>) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const expectedState = parameters.state ?? oidc.randomState()
  const usual = { redirect_uri: REDIRECT_URI, state: expectedState, code_challenge_method: 'S256' }
  const code_challenge = await oidc.calculatePKCECodeChallenge(pkceCodeVerifier)
  return {
    parameters: { ...usual, code_challenge, ...parameters },
    checks: { pkceCodeVerifier, expectedState },
  }
}

/** The URL of an authorization request with PKCE, by oauth4webapi. */
export async function authorizationUrl(
  { authorization_endpoint = '' }: oauth.AuthorizationServer,
  verifier: string,
  parameters: Readonly<Record<string, string>>,
): Promise<string> {
  const url = new URL(authorization_endpoint)
  const code_challenge = await oauth.calculatePKCECodeChallenge(verifier)
  const usual = { response_type: 'code', redirect_uri: REDIRECT_URI, code_challenge_method: 'S256' }
  url.search = String(new URLSearchParams({ ...usual, code_challenge, ...parameters }))
  return url.href
}

/** The metadata of the server, by oauth4webapi. */
export async function discovered(
  baseUrl: string,
  algorithm: 'oauth2' | 'oidc' = 'oauth2',
): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(baseUrl)
  const answer = await oauth.discoveryRequest(issuer, { algorithm, ...http })
  return oauth.processDiscoveryResponse(issuer, answer)
}
