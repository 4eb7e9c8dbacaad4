import type { Answer, Tokens } from '@grantkit/testkit/client'
import { expect } from 'vitest'
import type { Installation, Members } from './installation.ts'
import type { McpClient } from './mcp-client.ts'

/** What clients read of the answers. They are not held to a byte: a client does not mind what it does not read. */

/** RFC 9728 3.3: a client that asks for one resource and reads of another goes no further. */
export function expectResourceMetadata(answer: Answer & Members, { server }: Installation): void {
  const { resource } = server
  expect(answer).toMatchObject({ status: 200, resource, authorization_servers: [expect.any(String)] })
}

/** RFC 8414 3.3. */
export function expectServerMetadata(answer: Answer & Members, { client, issuer }: Installation): void {
  expect(answer).toMatchObject({
    status: 200,
    issuer,
    authorization_endpoint: expect.any(String),
    token_endpoint: expect.any(String),
    response_types_supported: expect.arrayContaining(['code']),
    code_challenge_methods_supported: expect.arrayContaining(['S256']),
    token_endpoint_auth_methods_supported: expect.arrayContaining([
      hasSecret(client) ? 'client_secret_basic' : 'none',
    ]),
  })
  expectMembers(answer, client.reads?.serverMetadata)
}

/** RFC 7591 3.2.1. Another status than 201 is an error to some. */
export function expectRegistered(answer: Answer & Members, { client }: Installation): void {
  expect(answer).toMatchObject({ status: 201, client_id: expect.any(String) })
  expect('client_secret' in answer).toBe(hasSecret(client))
  expectMembers(answer, client.reads?.registration)
}

/** RFC 6749 4.1.2, RFC 9207 2.4. Visual Studio Code takes the code as it stands in the address, without decoding it. */
export function expectCode(
  { callback, state }: { readonly callback: URL; readonly state: string },
  { client, redirectUri, issuer }: Installation,
): void {
  const response = Object.fromEntries(callback.searchParams)
  expect(withoutResponse(callback)).toBe(redirectUri)
  expect(response).toMatchObject({ code: expect.stringMatching(/^[\w.~-]+$/) })
  if (client.requests.authorization.includes('{state}')) expect(response).toMatchObject({ state })
  expectMembers(response, client.reads?.callback)
  if (response.iss !== undefined) expect(response.iss).toBe(issuer)
}

/** RFC 6749 5.1. */
export function expectTokens(answer: Answer & Partial<Tokens> & Members): void {
  expect(answer).toMatchObject({
    status: 200,
    access_token: expect.any(String),
    token_type: expect.stringMatching(/^bearer$/i),
    expires_in: expect.any(Number),
    scope: expect.any(String),
  })
}

/** The MCP server has taken the message. */
export function expectCalled({ status, response }: Answer): void {
  expect([status, response.body]).toEqual([200, expect.stringContaining('"jsonrpc"')])
}

/** RFC 6750 3, RFC 9728 5.1. */
export function expectChallenge({ status, response }: Answer, { resourceMetadataUrl }: Installation): void {
  const named = expect.stringContaining(`resource_metadata="${resourceMetadataUrl}"`)
  expect([status, response.headers['www-authenticate']]).toEqual([401, named])
}

/** RFC 6750 3.1. @returns the scope that the challenge names */
export function expectMissingScopes(
  { status, response }: Answer,
  { resourceMetadataUrl }: Installation,
): string {
  const challenge = String(response.headers['www-authenticate'])
  const [, scope = ''] = /\bscope="([^"]+)"/.exec(challenge) ?? []
  expect([status, challenge]).toEqual([403, expect.stringContaining('error="insufficient_scope"')])
  expect(challenge).toContain(`resource_metadata="${resourceMetadataUrl}"`)
  return scope
}

/** The redirect URI, whose own query stays (RFC 6749 4.1.2). */
function withoutResponse(callback: URL): string {
  const uri = new URL(callback)
  for (const name of ['code', 'state', 'iss']) uri.searchParams.delete(name)
  return uri.href
}

function hasSecret({ requests: { token = '' } }: McpClient): boolean {
  return token.includes('{basic_credentials}')
}

function expectMembers(answer: Members, names: readonly string[] = []): void {
  for (const name of names) expect(answer).toHaveProperty(name, expect.anything())
}
