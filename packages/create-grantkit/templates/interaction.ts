import { type Interaction, sampleSession } from '@grantkit/core'
import { pages } from '@grantkit/pages'

export const ui = pages({ brand: { name: 'Notes' }, links: { connectedApps: '/connected-apps' } }) // if: connected-apps
export const ui = pages({ brand: { name: 'Notes' } }) // if-not: connected-apps

/** Your session and your sign-in page go here. Until then every visitor is Alice, at a loopback address only. */
export const interaction: Interaction = {
  ...ui.interaction,
  session: sampleSession('alice'),
  signIn: (to) => ({ status: 303, headers: { location: `/login?${new URLSearchParams({ to })}` }, body: '' }),
}
