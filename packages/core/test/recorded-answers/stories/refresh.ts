import { tokensFor, tokensOf } from '../approval.ts'
import { type Given, refreshing, revocation, userinfo } from '../requests.ts'
import { ISSUER } from '../server.ts'
import { type Stories, variations, type World } from '../world.ts'

const long = (length: number) => 'x'.repeat(length)
const MCP = `${ISSUER}/mcp`
const DAY = 24 * 60 * 60

const REFRESHES: Readonly<Record<string, Given>> = {
  'nothing wrong': {},
  'no refresh_token': { refresh_token: undefined },
  'two of refresh_token': { refresh_token: ['one', 'other'] },
  'a refresh_token that is none': { refresh_token: 'token' },
  'a refresh_token of no grant': { refresh_token: `gkr_${long(22)}.${long(22)}.0.${long(43)}` },
  'a refresh_token of 4001 characters': { refresh_token: long(4001) },
  'less scope': { scope: 'courses:read' },
  'the same scope in another order': { scope: 'courses:read profile openid' },
  'more scope': { scope: 'openid courses:write' },
  'a scope that does not exist': { scope: 'nope' },
  'a malformed scope': { scope: 'openid  profile' },
  'a scope of 4001 characters': { scope: long(4001) },
  'two of scope': { scope: ['openid', 'profile'] },
  'a resource': { resource: MCP },
  'a resource of somebody else': { resource: 'https://api.example' },
}

async function started(world: World, changed: Given = {}, cookie?: string) {
  const { app } = world.cast
  const tokens = await tokensFor(world, app, changed, cookie)
  const refresh = (token: string, more: Given = {}) => world.ask(refreshing(app, token, more))
  const askUnrecorded = async (token: string) => tokensOf(await world.askUnrecorded(refreshing(app, token)))
  return { tokens, refresh, askUnrecorded, clock: world.ground.clock }
}

export const REFRESH: Stories = {
  ...variations(REFRESHES, async (world, changed) =>
    refreshing(world.cast.app, (await tokensFor(world, world.cast.app)).refresh_token, changed),
  ),
  'three in a row': async (world) => {
    const { tokens, refresh, clock } = await started(world, { nonce: 'a nonce' })
    let token = tokens.refresh_token
    for (const _ of [1, 2, 3]) {
      clock.now += 1000
      token = tokensOf(await refresh(token)).refresh_token
    }
  },
  'a resource that is hosted no more': async (world) => {
    const { tokens } = await started(world, { resource: MCP })
    const { ask } = world.reopened({ resources: [ISSUER] })
    await ask(refreshing(world.cast.app, tokens.refresh_token))
    await ask(refreshing(world.cast.app, tokens.refresh_token, { resource: MCP }))
    await ask(refreshing(world.cast.app, tokens.refresh_token, { resource: ISSUER }))
  },
  'the token of another client': async (world) => {
    const { tokens } = await started(world)
    await world.ask(refreshing(world.cast.vault, tokens.refresh_token))
  },
  'a client without refresh tokens': async ({ cast, ask }) => ask(refreshing(cast.guest, 'token')),
  'an access token for a refresh token': async (world) => {
    const { tokens, refresh } = await started(world)
    await refresh(tokens.access_token)
  },
  'a retry in the window': async (world) => {
    const { tokens, refresh, clock } = await started(world)
    await refresh(tokens.refresh_token)
    clock.now += 59
    await refresh(tokens.refresh_token)
  },
  'a retry for another scope': async (world) => {
    const { tokens, refresh } = await started(world)
    await refresh(tokens.refresh_token)
    await refresh(tokens.refresh_token, { scope: 'openid' })
    await refresh(tokens.refresh_token, { resource: MCP })
  },
  'a retry whose access token was revoked': async (world) => {
    const { tokens, refresh, askUnrecorded } = await started(world)
    const { access_token } = await askUnrecorded(tokens.refresh_token)
    await world.askUnrecorded(revocation(world.cast.app, access_token))
    await refresh(tokens.refresh_token)
  },
  'a retry after the window, while the next token is unused': async (world) => {
    const { tokens, refresh, clock } = await started(world)
    await refresh(tokens.refresh_token)
    clock.now += 899
    await refresh(tokens.refresh_token)
  },
  'reuse after the window ends the grant': async (world) => {
    const { tokens, refresh, askUnrecorded, clock } = await started(world)
    const next = await askUnrecorded(tokens.refresh_token)
    await askUnrecorded(next.refresh_token)
    clock.now += 60
    await refresh(tokens.refresh_token)
    await refresh(next.refresh_token)
    await world.ask(userinfo(next.access_token))
  },
  'a token before the last one, within the window': async (world) => {
    const { tokens, refresh, askUnrecorded } = await started(world)
    await askUnrecorded((await askUnrecorded(tokens.refresh_token)).refresh_token)
    await refresh(tokens.refresh_token)
  },
  'reuse by another client ends nothing': async (world) => {
    const { tokens, refresh, askUnrecorded, clock } = await started(world)
    const next = await askUnrecorded(tokens.refresh_token)
    clock.now += 60
    await world.ask(refreshing(world.cast.vault, tokens.refresh_token))
    await refresh(next.refresh_token)
  },
  'a window of nothing': async (world) => {
    const strict = world.reopened({ lifetimes: { refreshRetryWindow: 0 } })
    const { tokens, refresh, askUnrecorded } = await started(strict)
    await askUnrecorded(tokens.refresh_token)
    await refresh(tokens.refresh_token)
  },
  'a generation that is yet to come': async (world) => {
    const { tokens, refresh } = await started(world)
    await refresh(tokens.refresh_token.replace('.0.', '.7.'))
  },
  'unused for thirty days': async (world) => {
    const { tokens, refresh, clock } = await started(world)
    clock.now += 30 * DAY
    await refresh(tokens.refresh_token)
  },
  'expired while its access token lives': async (world) => {
    const short = world.reopened({ lifetimes: { refreshToken: 100 } })
    const { tokens, refresh, clock } = await started(short)
    clock.now += 100
    await refresh(tokens.refresh_token)
  },
  'the end of a grant, with which its client goes': async (world) => {
    const { tokens, refresh, askUnrecorded, clock } = await started(world)
    let token = tokens.refresh_token
    for (let month = 1; month <= 6; month++) {
      clock.now += 30 * DAY - 100
      token = (await askUnrecorded(token)).refresh_token
    }
    await refresh(token)
    clock.now += 600
    await refresh(token)
  },
  'narrowed resources': async (world) => {
    const { tokens, refresh } = await started(world, { resource: MCP })
    await refresh(tokens.refresh_token, { resource: ISSUER })
    await refresh(tokens.refresh_token, { resource: MCP })
  },
  'a user who is gone': async (world) => {
    const { tokens, refresh } = await started(world, {}, 'user=gone')
    await refresh(tokens.refresh_token)
    await refresh(tokens.refresh_token)
  },
  'a user whom the application cannot look up': async (world) => {
    const { tokens, refresh } = await started(world, {}, 'user=unlucky')
    await refresh(tokens.refresh_token)
  },
}
