import { type Interaction, sampleSession } from '@grantkit/core'
import { pages } from '@grantkit/pages'

const brand = { name: '{{name}}', accent: '{{accent}}' } // if: accent
const brand = { name: '{{name}}' } // if-not: accent
const languages = [{{languages}}] as const // if: languages
// Your users: the pages say who is signed in.
const user = async () => ({ name: 'Alice' })
const links = { connectedApps: '/connected-apps' } // if: connected-apps
export const ui = pages({ brand, user, languages, links }) // if: languages // if: connected-apps
export const ui = pages({ brand, user, languages }) // if: languages // if-not: connected-apps
export const ui = pages({ brand, user, links }) // if-not: languages // if: connected-apps
export const ui = pages({ brand, user }) // if-not: languages // if-not: connected-apps

/** Your session and your sign-in page go here. Until then every visitor is Alice, at a loopback address only. */
export const interaction: Interaction = {
  ...ui.interaction,
  session: sampleSession('alice'),
  signIn: (to) => ({ status: 303, headers: { location: `/login?${new URLSearchParams({ to })}` }, body: '' }),
}
