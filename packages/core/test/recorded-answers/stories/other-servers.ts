import { codeFor, consentPage, decision, tokensFor } from '../approval.ts'
import { authorization, get, redemption, refreshing, userinfo } from '../requests.ts'
import { ISSUER } from '../server.ts'
import type { Stories } from '../world.ts'

const TENANT = `${ISSUER}/tenant`
const PLAIN = { 'courses:read': { description: 'See courses', baseline: true } }
const BELOW = { issuer: TENANT, resources: [TENANT] }
const WITHOUT_OPENID = { scopes: PLAIN, keys: [] }

export const OTHER_SERVERS: Stories = {
  'an issuer with a path: documents': async ({ reopened, server }) => {
    const { ask } = reopened(BELOW)
    for (const { path } of server.routes.filter(({ path }) => path.startsWith('/.well-known')))
      await ask(get(path))
    await ask(get('/.well-known/openid-configuration/tenant'))
    await ask(get('/.well-known/oauth-authorization-server/tenant'))
    await ask(get('/.well-known/oauth-protected-resource/tenant'))
    await ask(get('/tenant/.well-known/openid-configuration'))
    await ask(get('/tenant/api/oauth/jwks'))
  },
  'an issuer with a path: from the request to the user': async ({ cast: { app }, reopened }) => {
    const world = reopened(BELOW)
    await world.ask(authorization(app, { prompt: 'login' }))
    await world.ask(authorization(app))
    await world.ask(decision(await consentPage(world, app)))
    await world.ask(redemption(app, await codeFor(world, app)))
    await world.ask(userinfo((await tokensFor(world, app)).access_token))
    await world.ask(get('/api/oauth/userinfo'))
  },
  'an issuer that ends in a slash': async ({ cast: { app }, reopened }) => {
    const world = reopened({ issuer: `${TENANT}/` })
    await world.ask(get('/tenant/.well-known/openid-configuration'))
    await world.ask(authorization(app, { response_type: 'token' }))
    await world.ask(get('/tenant/api/oauth/userinfo'))
  },
  'no openid: documents': async ({ reopened }) => {
    const { ask } = reopened(WITHOUT_OPENID)
    await ask(get('/.well-known/openid-configuration'))
    await ask(get('/.well-known/oauth-protected-resource'))
    await ask(get('/api/oauth/jwks'))
    await ask(get('/api/oauth/userinfo'))
  },
  'no openid: tokens': async ({ cast: { app }, reopened }) => {
    const world = reopened(WITHOUT_OPENID)
    const scope = 'courses:read'
    await world.ask(authorization(app, { scope: 'openid' }))
    await world.ask(redemption(app, await codeFor(world, app, { scope })))
    await world.ask(refreshing(app, (await tokensFor(world, app, { scope })).refresh_token))
  },
  'other lifetimes': async ({ cast: { app }, reopened }) => {
    const world = reopened({ lifetimes: { accessToken: 60, grant: 90, consentTicket: 30 } })
    const { refresh_token } = await tokensFor(world, app)
    world.ground.clock.now += 50
    await world.ask(refreshing(app, refresh_token))
    await world.ask(authorization(app))
  },
  integrations: async ({ server: { clients }, note }) => {
    const redirect_uris = ['https://app.example/callback']
    note('clients.add', await clients.add({ client_name: 'New', redirect_uris }))
    note('clients.list', await clients.list())
    const refusal = async (uris: string[]) => {
      const adding = clients.add({ client_name: 'Refused', redirect_uris: uris })
      note(`clients.add of ${uris}`, await adding.catch((error: Error) => error.message))
    }
    await refusal([])
    await refusal(['http://app.example/callback'])
    await refusal(['https://app.example/#here'])
  },
}
