import { forwardAuth } from '@grantkit/core/forward-auth'
import { tokensFor } from '../approval.ts'
import { get } from '../requests.ts'
import type { Stories } from '../world.ts'

const QUERIES: Readonly<Record<string, string>> = {
  'any good token': '',
  'a scope that the token has': 'scope=courses:read',
  'a scope that the token lacks': 'scope=students:read',
  'a scope that does not exist': 'scope=courses:reed',
  'scope twice': 'scope=courses:read&scope=openid',
}

/** What a gateway is told, with a good token and without one. */
export const FORWARD_AUTH: Stories = Object.fromEntries(
  Object.entries(QUERIES).map(([name, query]): [string, Stories[string]] => [
    name,
    async (world) => {
      const { ask } = world.reopened({ features: [forwardAuth()] })
      const { access_token } = await tokensFor(world, world.cast.app)
      await ask(get('/api/oauth/verify', { authorization: `Bearer ${access_token}` }, query))
      await ask(get('/api/oauth/verify', {}, query))
    },
  ]),
)
