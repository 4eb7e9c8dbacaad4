import type { HttpResponse, Interaction } from '@grantkit/core'

/** Who is signed in, and the pages: every visitor is Alice. */
export const interaction: Interaction = {
  session: async () => ({ id: 'session', subject: 'alice', authTime: Math.floor(Date.now() / 1000) }),
  signIn: (returnTo) => ({ status: 303, headers: { location: returnTo }, body: '' }),
  errorPage: ({ status, reason }) => page(status, reason),
  consentPage: ({ action, ticket, scopes }) =>
    page(
      200,
      `<form method="post" action="${action.replaceAll('&', '&amp;')}">
         <input name="ticket" value="${ticket}">
         ${scopes.map(({ name }) => `<input name="scope" value="${name}">`)}
       </form>`,
    ),
}

function page(status: number, body: string): HttpResponse {
  return { status, headers: { 'content-type': 'text/html' }, body }
}
