import { testClient } from '@grantkit/testkit/client'
import { user } from './user.ts'

/** A self-registered client, and its tokens. */
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
  resource?: string,
  word = 'demo',
  client_name = 'A tool',
): Promise<SignedIn> {
  const app = await testClient(baseUrl, {
    browser: user(baseUrl, `${word}@example.com`, word),
    metadata: { client_name, redirect_uris: [REDIRECT_URI] },
  })
  const { access_token, refresh_token } = await app.tokens(scope, { resource })
  return { client_id: app.clientId, access_token, refresh_token }
}
