import { type AuthorizationServerOptions, loopbackOnly } from '@grantkit/core'

/** Options of a server in this process: Alice is signed in, and the consent page has one scope. */
export const NOTES: Pick<
  AuthorizationServerOptions<'notes:read'>,
  'scopes' | 'redirectUriPolicy' | 'interaction'
> = {
  scopes: { 'notes:read': { description: 'Read your notes' } },
  redirectUriPolicy: loopbackOnly(),
  interaction: {
    session: async () => ({ id: 'session', subject: 'alice', authTime: Math.floor(Date.now() / 1000) }),
    signIn: () => ({ status: 303, headers: { location: '/login' }, body: '' }),
    errorPage: ({ status, reason }) => ({ status, headers: {}, body: reason }),
    consentPage: ({ action, ticket }) => ({
      ...{ status: 200, headers: { 'content-type': 'text/html' } },
      body: `<form method="post" action="${action}"><input name="ticket" value="${ticket}"><input type="checkbox" name="scope" value="notes:read" checked><button name="decision" value="allow">Allow</button></form>`,
    }),
  },
}
