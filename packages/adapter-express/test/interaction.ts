import type { Interaction } from '@grantkit/core'

const page = (status: number, body: string) => ({ status, headers: { 'content-type': 'text/html' }, body })

/** Every visitor is Alice. */
export const interaction: Interaction = {
  session: async () => ({ id: 'session-1', subject: 'alice', authTime: 1_700_000_000 }),
  signIn: () => page(200, 'Sign in'),
  consentPage: ({ action, ticket, scopes }) =>
    page(
      200,
      `<form method="post" action="${action.replaceAll('&', '&amp;')}">
         <input name="ticket" value="${ticket}">
         ${scopes.map(({ name }) => `<input name="scope" value="${name}">`)}
       </form>`,
    ),
  errorPage: ({ status, description }) => page(status, description),
}
