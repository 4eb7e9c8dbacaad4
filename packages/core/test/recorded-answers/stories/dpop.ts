import { type DpopProofsOptions, dpop, dpopProofs } from '@grantkit/core/dpop'
import { forwardAuth } from '@grantkit/core/forward-auth'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { fixedProvingKey, hashOf, type ProvingKey } from '../../proving-key.ts'
import { codeFor, type Tokens, tokensOf } from '../approval.ts'
import { ED25519_KEY } from '../published-keys.ts'
import {
  type Ask,
  authorization,
  authorizationQuery,
  type Credentials,
  form,
  get,
  introspection,
  redemption,
  refreshing,
  registration,
} from '../requests.ts'
import { ISSUER } from '../server.ts'
import type { Stories, Story, World } from '../world.ts'

const secret = 'a secret of the proofs, long enough to pass'
const KEY = fixedProvingKey({ ...ED25519_KEY })
/** The second key of RFC 8032 7.1. */
const OTHER_KEY = fixedProvingKey({
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs',
  x: 'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw',
})

const on = (world: World) => world.reopened({ features: [dpop({ secret })] })
const bound = (key: ProvingKey) => ({ dpop_jkt: key.thumbprint })

interface Proving {
  readonly key?: ProvingKey
  readonly claims?: object
  readonly header?: object
}

/** The request with a proof made for it, as a client of the first second sends it. */
function proving(ask: Ask, { key = KEY, claims = {}, header = {} }: Proving = {}): Ask {
  const { method: htm, path } = ask
  const usual = { jti: 'a proof', htm, htu: `${ISSUER}${path}`, iat: 1_800_000_000 }
  return { ...ask, headers: { ...ask.headers, dpop: key.proof({ ...usual, ...claims }, header) } }
}

async function boundTokens(world: World, client: Credentials = world.cast.app): Promise<Tokens> {
  return tokensOf(await world.askUnrecorded(proving(redemption(client, await codeFor(world, client)))))
}

/** A call of an API. @param scheme of the Authorization header; a proof comes with DPoP alone */
function call(token: string, scheme: 'Bearer' | 'DPoP', { claims, ...rest }: Proving = {}): Ask {
  const ask = get('/api/courses', { authorization: `${scheme} ${token}` })
  return scheme === 'Bearer' ? ask : proving(ask, { claims: { ath: hashOf(token), ...claims }, ...rest })
}

/** What is wrong with the proof of a token request. */
const PROOFS: Readonly<Record<string, Proving>> = {
  'nothing wrong': {},
  'no typ': { header: { typ: undefined } },
  'an algorithm that is not offered': { header: { alg: 'HS256' } },
  'a private jwk': { header: { jwk: KEY.privateJwk } },
  'no jti': { claims: { jti: undefined } },
  'another method': { claims: { htm: 'GET' } },
  'another URI': { claims: { htu: 'https://evil.example/api/oauth/token' } },
  'a proof that is over': { claims: { exp: 1 } },
  'an old proof': { claims: { iat: 1_700_000_000 } },
  'a nonce of somebody else': { claims: { nonce: 'x' } },
  "another key's signature": { header: { jwk: OTHER_KEY.jwk } },
}

const TOKEN_REQUESTS = Object.entries(PROOFS).map(([name, wrong]): [string, Story] => [
  `a code with a proof: ${name}`,
  async (world) => {
    const { ask, cast, ...rest } = on(world)
    await ask(proving(redemption(cast.app, await codeFor({ ...rest, ask, cast }, cast.app)), wrong))
  },
])

async function guarded(
  world: World,
  ask: (tokens: Tokens, unbound: Tokens) => Ask | Ask[],
  options: Partial<DpopProofsOptions> = {},
): Promise<void> {
  const dpopWorld = on(world)
  const tokens = await boundTokens(dpopWorld)
  const code = await codeFor(dpopWorld, world.cast.app)
  const unbound = tokensOf(await dpopWorld.askUnrecorded(redemption(world.cast.app, code)))
  const proofs = dpopProofs({ secret, ...options })
  for (const each of [ask(tokens, unbound)].flat())
    await dpopWorld.askGuard(each, ['courses:read'], { proofs })
}

/** Tokens that are bound to a key (RFC 9449). */
export const DPOP: Stories = {
  'a push that proves one key and names another': async (world) => {
    const { ask, cast } = world.reopened({
      features: [dpop({ secret }), pushedAuthorizationRequests({ secret })],
    })
    const asked = Object.fromEntries(new URLSearchParams(authorizationQuery(cast.app, bound(OTHER_KEY))))
    await ask(proving(form('/api/oauth/par', asked)))
  },
  ...Object.fromEntries(TOKEN_REQUESTS),

  'the documents': async (world) => {
    const { ask } = on(world)
    await ask(get('/.well-known/oauth-authorization-server'))
    await ask(get('/.well-known/oauth-protected-resource'))
  },

  'a preflight': (world) => on(world).ask({ method: 'OPTIONS', path: '/api/oauth/token' }),

  'a header that is no proof': async (world) => {
    const { ask } = on(world)
    await ask({ ...redemption(world.cast.app, 'code'), headers: { ...FORM, dpop: 'x' } })
  },

  'a client that is registered for bound tokens, without a proof': async (world) => {
    const { ask, askUnrecorded } = on(world)
    const metadata = { client_name: 'Bound', dpop_bound_access_tokens: true }
    const client: Credentials = JSON.parse((await askUnrecorded(registration(metadata))).body)
    await ask(redemption({ client_id: client.client_id }, 'code'))
  },

  'a code for a resource that takes bound tokens alone, without a proof and with one': async (world) => {
    const resources = [ISSUER, { resource: `${ISSUER}/mcp`, dpop: 'required' as const }]
    const opened = world.reopened({ resources, features: [dpop({ secret })] })
    const { app } = world.cast
    const code = await codeFor(opened, app, { resource: `${ISSUER}/mcp` })
    await opened.ask(redemption(app, code))
    await opened.ask(proving(redemption(app, code)))
    await opened.ask(get('/.well-known/oauth-protected-resource/mcp'))
  },

  'a code for another key, and for its own': async (world) => {
    const opened = on(world)
    const { app } = world.cast
    const code = await codeFor(opened, app, bound(KEY))
    await opened.ask(proving(redemption(app, code), { key: OTHER_KEY }))
    await opened.ask(redemption(app, code))
    await opened.ask(proving(redemption(app, code)))
  },

  'a dpop_jkt that is none': (world) => on(world).ask(authorization(world.cast.app, { dpop_jkt: 'x' })),

  'a refresh token of a public client, with its key, without, and with another': async (world) => {
    const opened = on(world)
    const { app } = world.cast
    const { refresh_token } = await boundTokens(opened)
    await opened.ask(refreshing(app, refresh_token))
    await opened.ask(proving(refreshing(app, refresh_token), { key: OTHER_KEY }))
    await opened.ask(proving(refreshing(app, refresh_token)))
  },

  'a refresh token of a confidential client, with one key after another': async (world) => {
    const opened = on(world)
    const { vault } = world.cast
    const { refresh_token } = await boundTokens(opened, vault)
    await opened.ask(proving(refreshing(vault, refresh_token), { key: OTHER_KEY }))
    await opened.ask(proving(refreshing(vault, refresh_token)))
  },

  'introspection of a bound token': async (world) => {
    const opened = on(world)
    const { access_token } = await boundTokens(opened)
    await opened.ask(introspection(world.cast.api, access_token))
  },

  'an exchange of a bound token, without a proof, with another key, and with its own': async (world) => {
    const opened = world.reopened({ features: [dpop({ secret }), tokenExchange()] })
    const metadata = { client_name: 'Agent', grant_types: ['authorization_code', TOKEN_EXCHANGE] }
    const { client_id } = JSON.parse((await opened.askUnrecorded(registration(metadata))).body)
    const { access_token } = await boundTokens(opened, { client_id })
    const types = { grant_type: TOKEN_EXCHANGE, subject_token_type: ACCESS_TOKEN_TYPE }
    const exchange = form('/api/oauth/token', { ...types, client_id, subject_token: access_token })
    await opened.ask(exchange)
    await opened.ask(proving(exchange, { key: OTHER_KEY }))
    await opened.ask(proving(exchange))
  },

  'UserInfo, with a proof and without': async (world) => {
    const opened = on(world)
    const { access_token } = await boundTokens(opened)
    const ask = (scheme: string) => get('/api/oauth/userinfo', { authorization: `${scheme} ${access_token}` })
    await opened.ask(proving(ask('DPoP'), { claims: { ath: hashOf(access_token) } }))
    await opened.ask(ask('DPoP'))
    await opened.ask(ask('Bearer'))
    await opened.ask(get('/api/oauth/userinfo'))
  },

  'a gateway that names no request for the proof': async (world) => {
    const features = [dpop({ secret }), forwardAuth({ proofs: dpopProofs({ secret }) })]
    const opened = world.reopened({ features })
    const { access_token } = await boundTokens(opened)
    const question = get('/api/oauth/verify', { authorization: `DPoP ${access_token}` })
    await opened.ask(proving(question, { claims: { ath: hashOf(access_token) } }))
  },

  'an API, without a token': (world) => guarded(world, () => get('/api/courses')),
  'an API, with a proof': (world) => guarded(world, ({ access_token }) => call(access_token, 'DPoP')),
  'an API, with a proof for another token': (world) =>
    guarded(world, ({ access_token }) => call(access_token, 'DPoP', { claims: { ath: hashOf('x') } })),
  'an API, with a proof of another key': (world) =>
    guarded(world, ({ access_token }) => call(access_token, 'DPoP', { key: OTHER_KEY })),
  'an API, with a bound token as Bearer': (world) =>
    guarded(world, ({ access_token }) => call(access_token, 'Bearer')),
  'an API, with an unbound token as DPoP, and as Bearer': (world) =>
    guarded(world, (_, { access_token }) => [call(access_token, 'DPoP'), call(access_token, 'Bearer')]),
  'an API that demands bound tokens, with an unbound one, and with none': (world) =>
    guarded(world, (_, { access_token }) => [call(access_token, 'Bearer'), get('/api/courses')], {
      required: true,
    }),
  'an API, with tokens of two schemes': (world) =>
    guarded(world, ({ access_token }) =>
      get('/api/courses', { authorization: [`DPoP ${access_token}`, `Bearer ${access_token}`] }),
    ),
  'an API, with a malformed token': (world) =>
    guarded(world, () => get('/api/courses', { authorization: 'DPoP' })),
  'an API that demands a nonce': (world) =>
    guarded(world, ({ access_token }) => call(access_token, 'DPoP'), { nonce: 'required' }),
  'an API that takes each proof once': (world) => {
    const twice = ({ access_token }: Tokens) => [call(access_token, 'DPoP'), call(access_token, 'DPoP')]
    return guarded(world, twice, { replay: 'strict' })
  },
  'an API that knows no proofs, with a bound token as Bearer and as DPoP': async (world) => {
    const opened = on(world)
    const { access_token } = await boundTokens(opened)
    await opened.askGuard(call(access_token, 'Bearer'))
    await opened.askGuard(call(access_token, 'DPoP'))
  },
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
