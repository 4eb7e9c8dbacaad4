import { tokensFor } from '../approval.ts'
import { type Ask, form, type Given, get, userinfo } from '../requests.ts'
import { ISSUER } from '../server.ts'
import { type Stories, variations } from '../world.ts'

const PATH = '/api/oauth/userinfo'
const UNKNOWN = `gka_${'x'.repeat(22)}.${'x'.repeat(43)}`

const HEADERS: Readonly<Record<string, Ask['headers']>> = {
  'no token': {},
  'Bearer alone': { authorization: 'Bearer' },
  'Bearer and a space': { authorization: 'Bearer ' },
  'Bearer and two tokens': { authorization: 'Bearer one two' },
  'a token in other characters': { authorization: 'Bearer {token}' },
  'a token that is too long': { authorization: `Bearer ${'x'.repeat(2049)}` },
  'a token that is none': { authorization: 'Bearer token' },
  'a token of no grant': { authorization: `Bearer ${UNKNOWN}` },
  'bearer in lower case': { authorization: `bearer ${UNKNOWN}` },
  'two headers': { authorization: [`Bearer ${UNKNOWN}`, `Bearer ${UNKNOWN}`] },
  'Basic and Bearer': { authorization: `Basic eDp5, Bearer ${UNKNOWN}` },
  Basic: { authorization: 'Basic eDp5' },
  DPoP: { authorization: 'DPoP token' },
}

const SCOPES: Readonly<Record<string, Given>> = {
  'openid alone': { scope: 'openid' },
  'openid and profile': { scope: 'openid profile' },
  'openid and email': { scope: 'openid email' },
  'everything about the user': { scope: 'openid profile email' },
  'no openid': { scope: 'profile courses:read' },
  'bound to the issuer': { resource: ISSUER },
  'bound to another resource': { resource: `${ISSUER}/mcp` },
}

export const USERINFO: Stories = {
  ...variations(HEADERS, (_, headers) => get(PATH, headers)),
  ...variations(SCOPES, async (world, asked) =>
    userinfo((await tokensFor(world, world.cast.app, asked)).access_token),
  ),
  'a POST': async (world) => {
    const { access_token } = await tokensFor(world, world.cast.app)
    await world.ask({ ...userinfo(access_token), method: 'POST' })
    await world.ask(form(PATH, { access_token }))
  },
  'a HEAD': async (world) => {
    const { access_token } = await tokensFor(world, world.cast.app)
    await world.ask({ ...userinfo(access_token), method: 'HEAD' })
    await world.ask({ ...userinfo(UNKNOWN), method: 'HEAD' })
  },
  'a token in the query': async (world) => {
    const { access_token } = await tokensFor(world, world.cast.app)
    await world.ask(get(PATH, {}, `access_token=${access_token}`))
  },
  'a refresh token': async (world) =>
    world.ask(userinfo((await tokensFor(world, world.cast.app)).refresh_token)),
  'an expired token': async (world) => {
    const { access_token } = await tokensFor(world, world.cast.app)
    world.ground.clock.now += 3600
    await world.ask(userinfo(access_token))
  },
  'a user of whom little is known': async (world) => {
    const asked = { scope: 'openid profile email' }
    await world.ask(userinfo((await tokensFor(world, world.cast.app, asked, 'user=bob')).access_token))
  },
  'a user who is gone': async (world) =>
    world.ask(userinfo((await tokensFor(world, world.cast.app, {}, 'user=gone')).access_token)),
  'a user whom the application cannot look up': async (world) =>
    world.ask(userinfo((await tokensFor(world, world.cast.app, {}, 'user=unlucky')).access_token)),
}
