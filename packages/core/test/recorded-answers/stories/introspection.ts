import { codeFor, tokensFor, tokensOf } from '../approval.ts'
import { type Given, introspection, refreshing } from '../requests.ts'
import { ISSUER } from '../server.ts'
import { type Stories, variations } from '../world.ts'

const long = (length: number) => 'x'.repeat(length)

const FORMS: Readonly<Record<string, Given>> = {
  'no token': { token: undefined },
  'two of token': { token: ['one', 'other'] },
  'a token that is none': { token: 'token' },
  'a token of 4001 characters': { token: long(4001) },
  'an access token of no grant': { token: `gka_${long(22)}.${long(43)}` },
  'a refresh token of no grant': { token: `gkr_${long(22)}.${long(22)}.0.${long(43)}` },
}

export const INTROSPECTION: Stories = {
  ...variations(FORMS, ({ cast }, changed) => introspection(cast.api, 'token', changed)),
  'a public client': ({ cast }) => introspection(cast.app, 'token'),
  'the tokens of a client, to a resource server': async (world) => {
    const { app, api } = world.cast
    const tokens = await tokensFor(world, app)
    await world.ask(introspection(api, tokens.access_token))
    await world.ask(introspection(api, tokens.refresh_token))
    await world.ask(introspection(api, tokens.id_token))
  },
  'its own tokens, to a client': async (world) => {
    const { vault } = world.cast
    const tokens = await tokensFor(world, vault)
    await world.ask(introspection(vault, tokens.access_token))
    await world.ask(introspection(vault, tokens.refresh_token))
  },
  'foreign tokens, to a client': async (world) => {
    const tokens = await tokensFor(world, world.cast.app)
    await world.ask(introspection(world.cast.vault, tokens.access_token))
    await world.ask(introspection(world.cast.vault, tokens.refresh_token))
  },
  'a wrong hint': async (world) => {
    const { access_token } = await tokensFor(world, world.cast.app)
    await world.ask(introspection(world.cast.api, access_token, { token_type_hint: 'refresh_token' }))
  },
  'a token bound to one resource': async (world) => {
    const { access_token } = await tokensFor(world, world.cast.app, { resource: `${ISSUER}/mcp` })
    await world.ask(introspection(world.cast.api, access_token))
  },
  'a server with one resource': async (world) => {
    const { access_token } = await tokensFor(world, world.cast.app)
    await world.reopened({ resources: [ISSUER] }).ask(introspection(world.cast.api, access_token))
  },
  'an access token in its last second, and after': async (world) => {
    const { access_token } = await tokensFor(world, world.cast.app)
    world.ground.clock.now += 3599
    await world.ask(introspection(world.cast.api, access_token))
    world.ground.clock.now += 1
    await world.ask(introspection(world.cast.api, access_token))
  },
  'a refresh token before and after it is rotated': async (world) => {
    const { app, api } = world.cast
    const first = await tokensFor(world, app)
    world.ground.clock.now += 10
    const next = tokensOf(
      await world.askUnrecorded(refreshing(app, first.refresh_token, { scope: 'openid' })),
    )
    await world.ask(introspection(api, first.refresh_token))
    await world.ask(introspection(api, next.refresh_token))
    await world.ask(introspection(api, next.access_token))
  },
  'an expired refresh token': async (world) => {
    const { refresh_token } = await tokensFor(world, world.cast.app)
    world.ground.clock.now += 30 * 24 * 60 * 60
    await world.ask(introspection(world.cast.api, refresh_token))
  },
  'a code': async (world) => world.ask(introspection(world.cast.api, await codeFor(world, world.cast.app))),
  'a token whose client is gone': async (world) => {
    const { access_token } = await tokensFor(world, world.cast.app)
    world.note('clients.remove', await world.server.clients.remove(world.cast.app.client_id))
    await world.ask(introspection(world.cast.api, access_token))
  },
}
