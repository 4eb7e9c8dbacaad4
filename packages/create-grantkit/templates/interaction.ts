import type { Interaction } from '@grantkit/core'
import { pages } from '@grantkit/pages'

export const ui = pages({ brand: { name: 'Notes' }, links: { connectedApps: '/connected-apps' } }) // if: connected-apps
export const ui = pages({ brand: { name: 'Notes' } }) // if-not: connected-apps

/** Your session and your sign-in page go here. Until you add your session, every visitor is signed in as Alice. */
export const interaction: Interaction = {
  ...ui.interaction,
  session: async () => ({ id: 'session-1', subject: 'alice', authTime: Math.floor(Date.now() / 1000) }),
  signIn: (to) => ({ status: 303, headers: { location: `/login?${new URLSearchParams({ to })}` }, body: '' }),
}
