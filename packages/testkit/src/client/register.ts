import type { HttpResponse } from '@grantkit/core'
import { type Answer, answerOf, type RegisteredClient } from './answer.ts'
import type { ExistingClient, TestClientOptions } from './client-options.ts'
import { type Connection, type ConnectionOptions, connect } from './connection.ts'
import type { ServerUnderTest } from './send.ts'
import { TestClient } from './test-client.ts'

const REDIRECT_URI = 'http://127.0.0.1:7001/callback'

/**
 * A client of your server, for your tests: it registers itself, gets consent on your page, and holds tokens. In the
 * process of the server that takes about a millisecond. Time is the server's `now`: move that to test expiry.
 *
 * @param server what `createAuthorizationServer` returned, or the issuer of a server that listens, for requests over
 *   HTTP
 * @throws Error when the server does not register the client
 *
 * @example
 * ```ts with:server
 * import { testClient } from '@grantkit/testkit/client'
 *
 * const client = await testClient(server)
 * const { access_token } = await client.tokens('notes:read')
 * ```
 */
export async function testClient<R extends HttpResponse = HttpResponse>(
  server: ServerUnderTest | string,
  options: TestClientOptions<R> = {},
): Promise<TestClient<R>> {
  const connection = await connect(server, options)
  return new TestClient(
    connection,
    options.client ?? (await registered(connection, options.metadata)),
    options,
  )
}

/**
 * Only the registration (RFC 7591), whether it succeeds or not.
 *
 * @param metadata in addition to a loopback redirect URI, or instead of it
 *
 * @example
 * ```ts with:server
 * import { registerClient } from '@grantkit/testkit/client'
 *
 * const { response } = await registerClient(server, { redirect_uris: ['https://app.example/callback'] })
 * ```
 */
export async function registerClient<R extends HttpResponse = HttpResponse>(
  server: ServerUnderTest | string,
  metadata: Readonly<Record<string, unknown>> = {},
  options: ConnectionOptions<R> = {},
): Promise<Answer<R> & Partial<RegisteredClient>> {
  return register(await connect(server, options), metadata)
}

async function registered<R extends HttpResponse>(
  connection: Connection<R>,
  metadata: object = {},
): Promise<ExistingClient> {
  const { response, client_id, client_secret, redirect_uris } = await register(connection, metadata)
  if (client_id === undefined || redirect_uris === undefined)
    throw new Error(`The client was not registered: ${response.body}`)
  return { clientId: client_id, clientSecret: client_secret, redirectUris: redirect_uris }
}

async function register<R extends HttpResponse>({ send, endpoints }: Connection<R>, metadata: object) {
  const response = await send(endpoints.registration_endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [REDIRECT_URI], ...metadata }),
  })
  return answerOf<R, RegisteredClient>(response)
}
