import type { HttpResponse, Interaction } from '@grantkit/core'

/**
 * An application in whose every browser the same user is signed in, with pages that `testClient` fills in.
 *
 * @param user `subject` is Alice without it; `authTime` is the time of the sign-in in epoch seconds, now without it
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { createMemoryStore } from '@grantkit/store-memory'
 * import { alwaysSignedIn, testClient } from '@grantkit/testkit/client'
 *
 * const server = createAuthorizationServer({
 *   issuer: 'https://notes.example',
 *   store: createMemoryStore(),
 *   scopes: { 'notes:read': { description: 'Read notes' } },
 *   secret: randomBytes(32).toString('base64url'),
 *   interaction: alwaysSignedIn(),
 * })
 * const { access_token } = await (await testClient(server)).tokens('notes:read')
 * ```
 */
export function alwaysSignedIn({
  subject = 'alice',
  authTime = () => Math.floor(Date.now() / 1000),
} = {}): Interaction {
  return {
    session: async () => ({ id: 'session', subject, authTime: authTime() }),
    signIn: () => page(500, `${subject} is signed in`),
    errorPage: ({ status, reason }) => page(status, reason),
    consentPage: ({ action, ticket, scopes }) =>
      page(
        200,
        `<form method="post" action="${action.replaceAll('&', '&amp;')}">
           ${field('ticket', ticket)}${scopes.map(({ name }) => field('scope', name)).join('')}
         </form>`,
      ),
  }
}

function page(status: number, body: string): HttpResponse {
  return { status, headers: { 'content-type': 'text/html' }, body }
}

function field(name: string, value: string): string {
  return `<input name="${name}" value="${value}">`
}
