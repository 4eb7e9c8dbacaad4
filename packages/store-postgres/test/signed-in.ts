import { createAuthorizationServer, type Store } from '@grantkit/core'
import { alwaysSignedIn, type TestClient, testClient } from '@grantkit/testkit/client'

const SCOPE = 'notes:read'

/** A client of a server on this store, whose user is signed in. */
async function clientOn(store: Store): Promise<TestClient> {
  const authorization = createAuthorizationServer({
    issuer: 'https://notes.example',
    store,
    scopes: { [SCOPE]: { description: 'Read notes' } },
    secret: 'a secret of the tests, long enough to pass',
    // The tests read what the client gets.
    onEvent: () => {},
    interaction: alwaysSignedIn(),
  })
  return testClient(authorization)
}

/** A client of a server on this store, and the refresh token that it got. */
export async function signedIn(store: Store): Promise<{ app: TestClient; token: string }> {
  const app = await clientOn(store)
  const { refresh_token = '' } = await app.redeem(await app.approve(SCOPE))
  return { app, token: refresh_token }
}

/**
 * Fifty refreshes of one token at once. A caller that gets a 503, because its outcome is unknown, repeats its request once, as
 * clients do.
 *
 * @returns the statuses of the first answers, and the successors that the callers have in the end
 */
export async function fiftyRefreshes(
  { app, token }: { readonly app: TestClient; readonly token: string },
  afterwards = () => {},
): Promise<{ statuses: number[]; successors: string[] }> {
  const answers = await Promise.all(Array.from({ length: 50 }, () => app.refresh(token)))
  afterwards()
  const settled = await Promise.all(
    answers.map((answer) => (answer.status === 503 ? app.refresh(token) : answer)),
  )
  const successors = new Set(settled.map((answer) => answer.refresh_token ?? `status ${answer.status}`))
  return { statuses: answers.map(({ status }) => status), successors: [...successors] }
}
