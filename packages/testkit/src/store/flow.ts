import { createAuthorizationServer, type Store } from '@grantkit/core'
import { testClient } from '../client/register.ts'
import { alwaysSignedIn } from '../client/signed-in.ts'
import type { TestClient } from '../client/test-client.ts'

/** The lifetimes of the flow, in seconds. */
export const LIFETIMES = {
  code: 60,
  accessToken: 300,
  refreshToken: 1000,
  grant: 3000,
  refreshRetryWindow: 60,
}

export const SCOPE = 'courses:read'

/**
 * A confidential client, a user and a server in this process, over the store under test.
 *
 * @param now the server's clock, in epoch seconds; the store may use another
 */
export function openFlow(store: Store, now: () => number): Promise<TestClient> {
  const server = createAuthorizationServer({
    issuer: 'https://server.example',
    store,
    scopes: { [SCOPE]: { description: 'See courses' } },
    secret: 'a secret of the tests, long enough to pass',
    lifetimes: LIFETIMES,
    now,
    interaction: alwaysSignedIn({ authTime: now }),
  })
  return testClient(server, { metadata: { token_endpoint_auth_method: 'client_secret_post' } })
}
