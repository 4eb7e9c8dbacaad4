import type { RateLimiter, Store } from '@grantkit/core'
import { codeFor, consentPage, decision, tokensFor } from '../approval.ts'
import {
  authorization,
  get,
  introspection,
  redemption,
  refreshing,
  registration,
  revocation,
  userinfo,
} from '../requests.ts'
import type { Stories, World } from '../world.ts'

const HOME = '203.0.113.7'

/** A limiter that refuses everything for half a minute. */
const FULL: RateLimiter = { take: async () => 30 }
const BROKEN: RateLimiter = { take: () => Promise.reject(new Error('The limiter is down')) }

const down = () => Promise.reject(new Error('The store is down'))
const DOWN = { find: down, insert: down, replace: down, remove: down, scan: unreadable }
const UNREACHABLE: Store = { clients: DOWN, grants: { ...DOWN, list: down } }

// biome-ignore lint/correctness/useYield: it fails before it has anything to yield
async function* unreadable(): AsyncGenerator<never> {
  throw new Error('The store is down')
}

/** A store in which another writer always wins. */
function contended({ clients, grants }: Store): Store {
  const replace = async () => false
  return { clients: { ...clients, replace }, grants: { ...grants, replace } }
}

async function defineErrors({ ask, cast }: World): Promise<void> {
  await ask({ ...registration({}), from: HOME })
  await ask({ ...registration({ grant_types: [] }), from: HOME })
  for (const build of [refreshing, revocation, introspection])
    await ask({ ...build({ ...cast.vault, client_secret: 'wrong' }, 'token'), from: HOME })
  await ask({ ...refreshing({ client_id: 'nobody' }, 'token'), from: HOME })
}

export const LIMITS_AND_OUTAGES: Stories = {
  'no room left': ({ reopened }) => defineErrors(reopened({ rateLimiter: FULL })),
  'no room left, and nothing wrong': async (world) => {
    const { vault } = world.cast
    const { ask } = world.reopened({ rateLimiter: FULL })
    const { refresh_token } = await tokensFor(world, vault)
    await ask({ ...refreshing(vault, refresh_token), from: HOME })
    await ask({ ...introspection(vault, refresh_token), from: HOME })
    await ask({ ...revocation(vault, refresh_token), from: HOME })
  },
  'no room left, of an unknown address': async ({ cast, reopened }) => {
    const { ask } = reopened({ rateLimiter: FULL })
    await ask(registration({}))
    await ask(refreshing(cast.app, 'token'))
  },
  'no room left, a body that is too large': async ({ cast, reopened }) => {
    const ask = refreshing(cast.app, 'x'.repeat(65_537))
    await reopened({ rateLimiter: FULL }).ask({ ...ask, from: HOME })
  },
  'a limiter that is down': ({ reopened }) => defineErrors(reopened({ rateLimiter: BROKEN })),
  'no store': async (world) => {
    const { app, api } = world.cast
    const { access_token, refresh_token } = await tokensFor(world, app)
    const form = decision(await consentPage(world, app))
    const { ask, askGuard } = world.reopened({ store: UNREACHABLE })
    await ask(authorization(app))
    await ask(form)
    await ask(registration({}))
    await ask(redemption(app, 'code'))
    await ask(refreshing(app, refresh_token))
    await ask(revocation(app, access_token))
    await ask(introspection(api, access_token))
    await ask(userinfo(access_token))
    await ask(get('/api/oauth/jwks'))
    const courses = get('/api/courses', { authorization: `Bearer ${access_token}` })
    await askGuard(courses, [], { store: UNREACHABLE })
  },
  'no grants': async (world) => {
    const { clients } = world.ground.store
    const page = await consentPage(world, world.cast.app)
    const { ask } = world.reopened({ store: { clients, grants: UNREACHABLE.grants } })
    await ask(decision(page))
    await ask(redemption(world.cast.app, `gkc_${'x'.repeat(22)}.${'x'.repeat(43)}`))
  },
  'a contended grant': async (world) => {
    const { app } = world.cast
    const code = await codeFor(world, app)
    const { refresh_token, access_token } = await tokensFor(world, app)
    const { ask } = world.reopened({ store: contended(world.ground.store) })
    await ask(redemption(app, code))
    await ask(refreshing(app, refresh_token))
    await ask(revocation(app, access_token))
  },
  'a contended client': async (world) => {
    const page = await consentPage(world, world.cast.app)
    await world.reopened({ store: contended(world.ground.store) }).ask(decision(page))
  },
  'a source of randomness that repeats itself': async ({ reopened }) => {
    const { ask } = reopened({ random: (size) => new Uint8Array(size) })
    await ask(registration({}))
    await ask(registration({}))
  },
}
