import type { Answer, Tokens } from '@grantkit/testkit/client'
import { expect, it } from 'vitest'
import { expectCalled, expectChallenge, expectCode, expectTokens } from './expectations.ts'
import type { Installation, Members } from './installation.ts'
import type { McpClient } from './mcp-client.ts'
import type { DescribeMcpClientsOptions } from './options.ts'

/** An installation that the server knows. @param redirectUri another one of its list than the first */
export type Introduced = (redirectUri?: string) => Promise<Installation>

interface SignInOptions extends DescribeMcpClientsOptions {
  readonly otherRedirectUris?: readonly string[]
}

/** The user signs in and allows what the client asks for. @param scope instead of what it asks for first */
export async function signedIn(
  app: Installation,
  scope?: string,
): Promise<Answer & Partial<Tokens> & Members> {
  expectCode(await app.authorize(scope), app)
  const answer = await app.redeem()
  expectTokens(answer)
  return answer
}

export function signInPromises(
  { requests }: McpClient,
  introduced: Introduced,
  { challenges = false, otherRedirectUris = [] }: SignInOptions,
): void {
  if (challenges && requests.call)
    it('learns from its first request where to sign in', async () => {
      const app = await introduced()
      expectChallenge(await app.probe(), app)
    })

  if (requests.token === undefined) {
    it('gets a code', async () => {
      const app = await introduced()
      expectCode(await app.authorize(), app)
    })
    return
  }

  it('gets tokens, and again in its next process', async () => {
    const app = await introduced()
    await signedIn(app)
    app.restart()
    await signedIn(app)
  })

  it.each(otherRedirectUris)('gets tokens at %s too', async (redirectUri) => {
    await signedIn(await introduced(redirectUri))
  })

  if (requests.call)
    it('is authorized with its token, and challenged when it is no longer valid', async () => {
      const app = await introduced()
      await signedIn(app)
      expectCalled(await app.call())
      expectChallenge(await app.call('revoked'), app)
    })
}

export function signOutPromises({ requests }: McpClient, introduced: Introduced): void {
  if (requests.revocation)
    it('signs out', async () => {
      const app = await introduced()
      await signedIn(app)
      for (const answer of await app.signOut()) expect(answer).toMatchObject({ status: 200 })
      expectChallenge(await app.call(), app)
    })
}
