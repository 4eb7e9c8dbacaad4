import { endpointsOf, type ServerUnderTest, send } from './in-process.ts'
import { type RegisteredClient, TestClient, type TestClientOptions } from './test-client.ts'

const REDIRECT_URI = 'http://127.0.0.1:7001/callback'

/**
 * A client of your server in its own process, for your tests: it registers itself, gets your user past your consent
 * page, and holds tokens, in about a millisecond. Time is the server's `now`, so a test of expiry turns that.
 *
 * @param server what `createAuthorizationServer` returned
 * @throws Error when the server does not register the client
 */
export async function testClient(
  server: ServerUnderTest,
  options: TestClientOptions = {},
): Promise<TestClient> {
  const endpoints = await endpointsOf(server)
  const client = options.client ?? (await register(server, endpoints.registration_endpoint, options.metadata))
  return new TestClient(server, endpoints, client, options)
}

async function register(server: ServerUnderTest, url: string, metadata = {}): Promise<RegisteredClient> {
  const response = await send(server, url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [REDIRECT_URI], ...metadata }),
  })
  if (response.status !== 201) throw new Error(`The client was not registered: ${response.body}`)
  return JSON.parse(response.body)
}
