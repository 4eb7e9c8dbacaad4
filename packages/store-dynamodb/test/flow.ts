import { createAuthorizationServer, type Store } from '@grantkit/core'
import { alwaysSignedIn, type TestClient, testClient } from '@grantkit/testkit/client'

/** What an application may have. */
export const SIX_SCOPES = ['profile', 'email', 'offline_access', 'notes:read', 'notes:write', 'calendar:read']
export const RESOURCE = 'https://api.notes.example.com/v1'

/** A public client of a server in this process, over a store. */
export function openFlow(store: Store): Promise<TestClient> {
  const server = createAuthorizationServer({
    issuer: 'https://auth.example.com',
    resources: [RESOURCE],
    store,
    scopes: Object.fromEntries(SIX_SCOPES.map((scope) => [scope, { description: scope }])),
    secret: 'a secret of the tests, long enough to pass',
    interaction: alwaysSignedIn({
      subject: 'a4c1f3de-7f0b-4a63-9a3e-2f1d8f1c0b5a',
      authTime: () => 1_790_000_000,
    }),
  })
  return testClient(server)
}
