import { type TestClient, testClient } from '@grantkit/testkit/client'
import { isGrantkit, type Side } from './sides.ts'

export const SCOPE = 'notes:read'

const METADATA = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

/** Grantkit opens at most a hundred grants for a user and a client, so each client has a user of its own. */
let users = 0

/** A new public client with its user: at Grantkit it submits the form of a consent page, the peer allows everything. */
export function clientOf(side: Side, url: string): Promise<TestClient> {
  const browser = isGrantkit(side) ? { cookie: `user=alice-${users++}` } : redirected
  return testClient(url, { browser, metadata: METADATA })
}

async function redirected(url: string): Promise<URL> {
  const { headers } = await fetch(url, { redirect: 'manual' })
  return new URL(headers.get('location') ?? '')
}

/** Whether an access token opens the API. */
export async function opens(url: string, token: string | undefined): Promise<boolean> {
  const response = await fetch(`${url}/notes`, { headers: { authorization: `Bearer ${token}` } })
  await response.text()
  return response.ok
}

export function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at))
}
