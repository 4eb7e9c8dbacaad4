import type { Interaction } from '@grantkit/core'
import { pages } from '@grantkit/pages'

const ui = pages({ brand: { name: 'Notes' } })

/** Who is signed in, and the pages. Until you add your session, every visitor is signed in as Alice. */
export const interaction: Interaction = {
  session: async () => ({ id: 'session-1', subject: 'alice', authTime: Math.floor(Date.now() / 1000) }),
  signIn: (to) => ({ status: 303, headers: { location: `/login?${new URLSearchParams({ to })}` }, body: '' }),
  ...ui.interaction,
}
