import { type Interaction, sampleSession } from '@grantkit/core'
import { pages } from '@grantkit/pages'

const ui = pages({ brand: { name: 'Notes' } })

/** Who is signed in, and the pages. Until you add your session, every visitor is Alice, at a loopback address only. */
export const interaction: Interaction = {
  session: sampleSession('alice'),
  signIn: (to) => ({ status: 303, headers: { location: `/login?${new URLSearchParams({ to })}` }, body: '' }),
  ...ui.interaction,
}
