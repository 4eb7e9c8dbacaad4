import { tokensFor } from '../approval.ts'
import { type Ask, get } from '../requests.ts'
import { ISSUER } from '../server.ts'
import type { Stories, World } from '../world.ts'

const MCP = `${ISSUER}/mcp`
const UNKNOWN = { authorization: `Bearer gka_${'x'.repeat(22)}.${'x'.repeat(43)}` }
const courses = (headers?: Ask['headers']) => get('/api/courses', headers)

async function authorized(world: World, changed = {}) {
  const { access_token } = await tokensFor(world, world.cast.app, changed)
  return courses({ authorization: `Bearer ${access_token}` })
}

/** The guard's answers to an API. */
export const GUARD: Stories = {
  'no token': ({ askGuard }) => askGuard(courses()),
  'no token where a scope is needed': ({ askGuard }) => askGuard(courses(), ['courses:read']),
  'no token where it is allowed': ({ askGuard }) =>
    askGuard(courses(), ['courses:read'], { anonymous: 'allow' }),
  'another scheme': ({ askGuard }) => askGuard(courses({ authorization: 'Basic eDp5' })),
  'another scheme where no token is allowed': ({ askGuard }) =>
    askGuard(courses({ authorization: 'Basic eDp5' }), [], { anonymous: 'allow' }),
  'our token under another scheme where no token is allowed': ({ askGuard }) =>
    askGuard(courses({ authorization: UNKNOWN.authorization.replace('Bearer', 'DPoP') }), [], {
      anonymous: 'allow',
    }),
  'a malformed token': ({ askGuard }) => askGuard(courses({ authorization: 'Bearer' }), ['courses:read']),
  'an unknown token': ({ askGuard }) => askGuard(courses(UNKNOWN), ['courses:read']),
  'metadata at an address of its own': ({ askGuard }) =>
    askGuard(courses(UNKNOWN), [], { metadataUrl: 'https://docs.example/resource' }),
  'a good token': async (world) => world.askGuard(await authorized(world)),
  'a good token with the scope': async (world) =>
    world.askGuard(await authorized(world), ['courses:read', 'profile']),
  'a token that lacks a scope': async (world) =>
    world.askGuard(await authorized(world), ['courses:read', 'courses:write']),
  'a token for this resource': async (world) =>
    world.askGuard(await authorized(world, { resource: MCP }), [], { resource: MCP }),
  'a token for another resource': async (world) => world.askGuard(await authorized(world, { resource: MCP })),
  'a token for both resources': async (world) =>
    world.askGuard(await authorized(world, { resource: [ISSUER, MCP] })),
  'a resource with a slash': async (world) =>
    world.askGuard(await authorized(world, { resource: ISSUER }), [], { resource: `${ISSUER}/` }),
  'an expired token': async (world) => {
    const ask = await authorized(world)
    world.ground.clock.now += 3600
    await world.askGuard(ask)
  },
  'a token of a grant that its user ended': async (world) => {
    const ask = await authorized(world)
    const [grant] = (await world.server.grants.list('alice')).grants
    await world.server.grants.revoke('alice', grant?.id ?? '')
    await world.askGuard(ask)
  },
}
