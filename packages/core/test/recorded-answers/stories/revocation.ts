import { codeFor, tokensFor, tokensOf } from '../approval.ts'
import { type Given, introspection, refreshing, revocation, userinfo } from '../requests.ts'
import { type Stories, variations } from '../world.ts'

const long = (length: number) => 'x'.repeat(length)

const FORMS: Readonly<Record<string, Given>> = {
  'no token': { token: undefined },
  'an empty token': { token: '' },
  'two of token': { token: ['one', 'other'] },
  'a token that is none': { token: 'token' },
  'a token of 4001 characters': { token: long(4001) },
  'an access token of no grant': { token: `gka_${long(22)}.${long(43)}` },
  'a refresh token of no grant': { token: `gkr_${long(22)}.${long(22)}.0.${long(43)}` },
}

export const REVOCATION: Stories = {
  ...variations(FORMS, ({ cast }, changed) => revocation(cast.app, 'token', changed)),
  'an access token': async (world) => {
    const { app } = world.cast
    const tokens = await tokensFor(world, app)
    await world.ask(revocation(app, tokens.access_token))
    await world.ask(userinfo(tokens.access_token))
    await world.ask(revocation(app, tokens.access_token))
    await world.ask(refreshing(app, tokens.refresh_token))
  },
  'a refresh token': async (world) => {
    const { app } = world.cast
    const tokens = await tokensFor(world, app)
    await world.ask(revocation(app, tokens.refresh_token))
    await world.ask(userinfo(tokens.access_token))
    await world.ask(refreshing(app, tokens.refresh_token))
    await world.ask(revocation(app, tokens.refresh_token))
  },
  'a refresh token that was rotated': async (world) => {
    const { app } = world.cast
    const first = await tokensFor(world, app)
    const next = tokensOf(await world.askUnrecorded(refreshing(app, first.refresh_token)))
    await world.ask(revocation(app, first.refresh_token))
    await world.ask(userinfo(next.access_token))
  },
  'a code, which is no token': async (world) =>
    world.ask(revocation(world.cast.app, await codeFor(world, world.cast.app))),
  'an ID token': async (world) =>
    world.ask(revocation(world.cast.app, (await tokensFor(world, world.cast.app)).id_token)),
  'a wrong hint': async (world) => {
    const { app, api } = world.cast
    const { access_token } = await tokensFor(world, app)
    await world.ask(revocation(app, access_token, { token_type_hint: 'refresh_token' }))
    await world.ask(introspection(api, access_token))
  },
  'a hint that does not exist': async (world) => {
    const { refresh_token } = await tokensFor(world, world.cast.app)
    await world.ask(revocation(world.cast.app, refresh_token, { token_type_hint: 'pat' }))
  },
  'the access token of another client': async (world) => {
    const tokens = await tokensFor(world, world.cast.app)
    await world.ask(revocation(world.cast.vault, tokens.access_token))
    await world.ask(userinfo(tokens.access_token))
  },
  'the refresh token of another client': async (world) => {
    const tokens = await tokensFor(world, world.cast.app)
    await world.ask(revocation(world.cast.vault, tokens.refresh_token))
    await world.ask(userinfo(tokens.access_token))
  },
  'the dead access token of another client': async (world) => {
    const tokens = await tokensFor(world, world.cast.app)
    world.ground.clock.now += 3600
    await world.ask(revocation(world.cast.vault, tokens.access_token))
  },
  'a refresh token with another family': async (world) => {
    const { refresh_token } = await tokensFor(world, world.cast.app)
    const [prefix, , ...rest] = refresh_token.split('.')
    await world.ask(revocation(world.cast.app, [prefix, long(22), ...rest].join('.')))
    await world.ask(introspection(world.cast.api, refresh_token))
  },
  'a confidential client': async (world) => {
    const tokens = await tokensFor(world, world.cast.vault)
    await world.ask(revocation(world.cast.vault, tokens.refresh_token))
  },
}
