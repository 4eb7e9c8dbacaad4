import { jwtAccessTokens, revocationFeed } from '@grantkit/core/jwt-access-tokens'
import { codeFor, tokensFor } from '../approval.ts'
import { ED25519_KEY, RSA_KEY } from '../published-keys.ts'
import { form, introspection, redemption, revocation } from '../requests.ts'
import { ISSUER } from '../server.ts'
import type { Stories, World } from '../world.ts'

const API = `${ISSUER}/mcp`

/** Tokens for one resource are signed by EdDSA, which signs the same text alike. */
function signing({ ground, reopened }: World): World {
  const now = () => ground.clock.now
  const keys = [RSA_KEY, ED25519_KEY]
  const tokens = jwtAccessTokens({ issuer: ISSUER, keys, resources: { [API]: { alg: 'EdDSA' } }, now })
  return reopened({ features: [tokens.feature, revocationFeed()] })
}

/** What a server answers whose access tokens are JWTs. */
export const SIGNED_ACCESS_TOKENS: Stories = {
  'a token for the signed resource': async (world) => {
    const server = signing(world)
    const { app, api } = world.cast
    const resource = { resource: API }
    await server.ask(redemption(app, await codeFor(server, app, resource)))
    const { access_token } = await tokensFor(server, app, resource)
    await server.ask(introspection(api, access_token))
    await server.ask(revocation(world.cast.guest, access_token))
    await server.ask(revocation(app, access_token))
    await server.ask(introspection(api, access_token))
    await server.ask(form('/api/oauth/ended', { ...api }))
  },
  'a token for no resource': async (world) => {
    const server = signing(world)
    await server.ask(redemption(world.cast.app, await codeFor(server, world.cast.app)))
  },
  'the feed of ended tokens, to a client that is no resource server': async (world) => {
    await signing(world).ask(form('/api/oauth/ended', { ...world.cast.vault }))
  },
}
