import { createHash, randomBytes } from 'node:crypto'
import { user } from './user.ts'

/** A client that registered itself, and what the user allowed it. */
export interface SignedIn {
  readonly client_id: string
  readonly access_token: string
  readonly refresh_token: string
}

const REDIRECT_URI = 'http://127.0.0.1:49200/callback'

/** Registers a public client and gets its tokens, as the walkthrough describes it. */
export async function signedIn(
  baseUrl: string,
  scope: string,
  resource = '',
  word = 'demo',
  client_name = 'A tool',
): Promise<SignedIn> {
  const { client_id } = await post(
    `${baseUrl}/api/oauth/register`,
    JSON.stringify({ client_name, redirect_uris: [REDIRECT_URI] }),
  )
  const code_verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const request = {
    response_type: 'code',
    client_id: String(client_id),
    redirect_uri: REDIRECT_URI,
    scope,
    resource,
  }
  const query = new URLSearchParams({ ...request, code_challenge, code_challenge_method: 'S256' })
  const callback = await user(baseUrl, `${word}@example.com`, word).visit(
    `${baseUrl}/oauth/authorize?${query}`,
  )
  const code = callback.searchParams.get('code') ?? ''
  const exchange = {
    grant_type: 'authorization_code',
    client_id: String(client_id),
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier,
  }
  const tokens = await post(`${baseUrl}/api/oauth/token`, new URLSearchParams(exchange))
  return {
    client_id: String(client_id),
    access_token: String(tokens.access_token),
    refresh_token: String(tokens.refresh_token),
  }
}

async function post(url: string, body: string | URLSearchParams): Promise<Record<string, unknown>> {
  const headers: Record<string, string> =
    typeof body === 'string' ? { 'content-type': 'application/json' } : {}
  const response = await fetch(url, { method: 'POST', headers, body })
  return (await response.json()) as Record<string, unknown>
}
