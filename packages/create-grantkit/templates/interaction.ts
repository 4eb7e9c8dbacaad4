import { type Interaction, sampleSession } from '@grantkit/core'
import { pages } from '@grantkit/pages'

const brand = { name: '{{name}}', accent: '{{accent}}' } // if: accent
const brand = { name: '{{name}}' } // if-not: accent
const languages = [{{languages}}] as const // if: languages
const links = { connectedApps: '/connected-apps' } // if: connected-apps
export const ui = pages({ brand, user: async () => ({ name: 'Alice' }), languages, links }) // if: languages // if: connected-apps
export const ui = pages({ brand, user: async () => ({ name: 'Alice' }), languages }) // if: languages // if-not: connected-apps
export const ui = pages({ brand, user: async () => ({ name: 'Alice' }), links }) // if-not: languages // if: connected-apps
export const ui = pages({ brand, user: async () => ({ name: 'Alice' }) }) // if-not: languages // if-not: connected-apps

/** Your session and your sign-in page go here. Until then every visitor is Alice, at a loopback address only. */
export const interaction: Interaction = {
  ...ui.interaction,
  session: sampleSession('alice'),
  signIn: (to) => ({ status: 303, headers: { location: `/login?${new URLSearchParams({ to })}` }, body: '' }),
}
