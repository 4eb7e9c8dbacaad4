import { createAuthorizationServer, type Store } from '@grantkit/core'
import { type TestClient, testClient } from '@grantkit/testkit/client'

/** What an application may have. */
export const SIX_SCOPES = ['profile', 'email', 'offline_access', 'notes:read', 'notes:write', 'calendar:read']
export const RESOURCE = 'https://api.notes.example.com/v1'

/** A public client of a server in this process, over a store. */
export function openFlow(store: Store): Promise<TestClient> {
  const page = (status: number, body: string) => ({ status, headers: {}, body })
  const field = (name: string, value: string) => `<input name="${name}" value="${value}">`
  const server = createAuthorizationServer({
    issuer: 'https://auth.example.com',
    resources: [RESOURCE],
    store,
    scopes: Object.fromEntries(SIX_SCOPES.map((scope) => [scope, { description: scope }])),
    secret: 'a secret of the tests, long enough to pass',
    interaction: {
      session: async () => ({
        id: 'session',
        subject: 'a4c1f3de-7f0b-4a63-9a3e-2f1d8f1c0b5a',
        authTime: 1_790_000_000,
      }),
      signIn: () => page(500, 'The user is signed in'),
      consentPage: ({ action, ticket }) =>
        page(
          200,
          `<form action="${action.replaceAll('&', '&amp;')}">
             ${field('ticket', ticket)}${SIX_SCOPES.map((scope) => field('scope', scope)).join('')}
           </form>`,
        ),
      errorPage: ({ status, description }) => page(status, description),
    },
  })
  return testClient(server)
}
