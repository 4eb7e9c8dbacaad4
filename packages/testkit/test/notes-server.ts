import { createAuthorizationServer, createResourceServer } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'

/** A typical server of an integrator: a cookie identifies its users, and it has its own pages. */
export function createNotesServer({
  now,
  issuer = 'https://notes.example',
}: {
  now: () => number
  issuer?: string
}) {
  const store = createMemoryStore({ now })
  const scopes = {
    'notes:read': { description: 'Read notes' },
    'notes:write': { description: 'Write notes' },
  }
  const page = (status: number, body: string) => ({ status, headers: { 'content-type': 'text/html' }, body })
  const server = createAuthorizationServer({
    issuer,
    store,
    scopes,
    secret: 'a secret of the tests, long enough to pass',
    now,
    interaction: {
      async session({ headers }) {
        const subject = /session=(\w+)/.exec(String(headers.cookie))?.[1]
        return subject === undefined ? undefined : { id: subject, subject, authTime: now() }
      },
      signIn: (returnTo) => ({
        status: 303,
        headers: { location: `/login?${new URLSearchParams({ to: returnTo })}` },
        body: '',
      }),
      errorPage: ({ status, description }) => page(status, description),
      consentPage: ({ action, ticket, scopes }) =>
        page(
          200,
          `<form class='search'><input name="q"></form>
           <form method=post action='${action.replaceAll('&', '&amp;')}'>
             <input value="${ticket}" type=hidden name="ticket">
             ${scopes.map(({ name }) => `<label><input type=checkbox name="scope" value="${name}"> ${name}</label>`)}
             <input type=checkbox name=scope value=never disabled>
             <button name=decision value=allow>Allow</button>
             <input type=submit name=decision value=deny>
           </form>`,
        ),
    },
  })
  return { server, api: createResourceServer({ resource: issuer, store, scopes, now }) }
}
