import type { Interaction } from '@grantkit/core'

const html = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const page = (status: number, body: string) => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body,
})

/** Who is signed in, and your pages. To begin with, everybody is Alice. */
export const interaction: Interaction = {
  session: async () => ({ id: 'session-1', subject: 'alice', authTime: Math.floor(Date.now() / 1000) }),
  signIn: (returnTo) => ({
    status: 303,
    headers: { location: `/login?${new URLSearchParams({ to: returnTo })}` },
    body: '',
  }),
  errorPage: ({ status, description }) => page(status, `<h1>Sorry</h1><p>${html(description)}`),
  consentPage: ({ client, redirectUri, action, ticket, scopes }) => {
    const boxes = scopes.map(
      ({ name, description }) =>
        `<p><label><input type="checkbox" name="scope" value="${name}" checked> ${html(description)}</label>`,
    )
    return page(
      200,
      `<h1>${html(client.clientName ?? 'An app')} at ${html(new URL(redirectUri).host)} would like to</h1>
       <form method="post" action="${html(action)}">
         <input type="hidden" name="ticket" value="${ticket}">${boxes.join('')}
         <p><button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button>
       </form>`,
    )
  },
}
