import { createAuthorizationServer, type Store } from '@grantkit/core'
import { testClient } from '../client/register.ts'
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
  const page = (status: number, body: string) => ({ status, headers: {}, body })
  const server = createAuthorizationServer({
    issuer: 'https://server.example',
    store,
    scopes: { [SCOPE]: { description: 'See courses' } },
    secret: 'a secret of the tests, long enough to pass',
    lifetimes: LIFETIMES,
    now,
    interaction: {
      session: async () => ({ id: 'session', subject: 'alice', authTime: now() }),
      signIn: () => page(500, 'Alice is signed in'),
      consentPage: ({ action, ticket }) =>
        page(
          200,
          `<form action="${action.replaceAll('&', '&amp;')}">
             <input name="ticket" value="${ticket}"><input name="scope" value="${SCOPE}">
           </form>`,
        ),
      errorPage: ({ status, description }) => page(status, description),
    },
  })
  return testClient(server, { metadata: { token_endpoint_auth_method: 'client_secret_post' } })
}
