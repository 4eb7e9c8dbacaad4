import { expect, it } from 'vitest'
import { expectTokens } from './expectations.ts'
import type { McpClient } from './mcp-client.ts'
import type { DescribeMcpClientsOptions } from './options.ts'
import { type Introduced, signedIn } from './sign-in.ts'

/** A client repeats a refresh whose answer it lost, long after the window for retries: its machine slept. */
const LATE = 7 * 60 + 45

export function refreshPromises(
  { requests, recorded }: McpClient,
  introduced: Introduced,
  { pass }: DescribeMcpClientsOptions,
): void {
  if (requests.refresh === undefined) return

  it('refreshes in two processes at once, and both go on', async () => {
    const app = await introduced()
    const { refresh_token, scope } = await signedIn(app)
    const answers = await Promise.all([app.refresh(refresh_token), app.refresh(refresh_token)])
    for (const answer of answers) {
      expectTokens(answer)
      expect(answer.scope).toBe(scope)
      expectTokens(await app.refresh(answer.refresh_token))
    }
  })

  if (pass === undefined || recorded === false) return
  it('repeats a refresh after 7 min 45 s: it goes on, or signs in again with the id that it has', async () => {
    const app = await introduced()
    const { refresh_token } = await signedIn(app)
    expectTokens(await app.refresh(refresh_token))
    pass(LATE)
    const late = await app.refresh(refresh_token)
    // Any other error makes clients forget more than their tokens, or try for ever.
    if (late.status !== 200) expect(late).toMatchObject({ status: 400, error: 'invalid_grant' })
    app.restart()
    await signedIn(app)
  })
}
