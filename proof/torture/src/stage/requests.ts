import { createHash, randomBytes } from 'node:crypto'
import { authenticate, type Client } from '../client/client-authentication.ts'
import type { HttpRequest } from '../client/transport.ts'
import type { Bench } from './bench.ts'

export type Fields = Readonly<Record<string, string | undefined>>

/** A request of a client to an endpoint that authenticates it. */
export function clientRequest(bench: Bench, url: string, client: Client, fields: Fields): HttpRequest {
  const proof = authenticate(client, bench.issuer)
  return formRequest(url, { ...fields, ...proof.fields }, proof.headers)
}

function formRequest(
  url: string,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): HttpRequest {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const type = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
  return { method: 'POST', url, headers: { ...type, ...headers }, body: String(new URLSearchParams(given)) }
}

/** An authorization request with PKCE (RFC 7636), and what its client keeps. */
export interface AuthorizationRequest {
  readonly url: string
  readonly verifier: string
  readonly state: string
}

export function authorizationRequest(
  bench: Bench,
  endpoint: string,
  client: Client,
  scope: readonly string[],
): AuthorizationRequest {
  const [verifier, state, nonce] = [secret(), secret(), secret()]
  const url = new URL(endpoint)
  const parameters = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: bench.redirectUri,
    ...(scope.length > 0 && { scope: scope.join(' ') }),
    ...{ state, nonce, code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, verifier, state }
}

export function secret(): string {
  return randomBytes(32).toString('base64url')
}
