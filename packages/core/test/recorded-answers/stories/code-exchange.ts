import { codeFor, tokensOf } from '../approval.ts'
import { RSA_KEY } from '../published-keys.ts'
import { type Given, REDIRECT_URI, redemption, refreshing, userinfo, VERIFIER } from '../requests.ts'
import { ISSUER } from '../server.ts'
import { type Stories, variations } from '../world.ts'

const long = (length: number) => 'x'.repeat(length)
const MCP = `${ISSUER}/mcp`

const REDEMPTIONS: Readonly<Record<string, Given>> = {
  'nothing wrong': {},
  'no grant_type': { grant_type: undefined },
  'an empty grant_type': { grant_type: '' },
  'two of grant_type': { grant_type: ['authorization_code', 'refresh_token'] },
  'grant_type password': { grant_type: 'password', username: 'alice', password: 'x' },
  'grant_type client_credentials': { grant_type: 'client_credentials' },
  'a grant_type like a member of every object': { grant_type: 'constructor' },
  'a grant_type of 4001 characters': { grant_type: long(4001) },
  'no code': { code: undefined },
  'two of code': { code: ['one', 'other'] },
  'a code that is no code': { code: 'code' },
  'a code of no grant': { code: `gkc_${long(22)}.${long(43)}` },
  'a code of 4001 characters': { code: long(4001) },
  'no redirect_uri': { redirect_uri: undefined },
  'another redirect_uri': { redirect_uri: 'http://127.0.0.1:7002/callback' },
  'two of redirect_uri': { redirect_uri: [REDIRECT_URI, REDIRECT_URI] },
  'no code_verifier': { code_verifier: undefined },
  'another code_verifier': { code_verifier: long(43) },
  'a code_verifier of 42 characters': { code_verifier: long(42) },
  'a code_verifier of 129 characters': { code_verifier: long(129) },
  'a code_verifier in other characters': { code_verifier: `${long(43)}+` },
  'two of code_verifier': { code_verifier: [VERIFIER, VERIFIER] },
  'a scope, which nobody reads': { scope: 'nope' },
  'a resource': { resource: MCP },
  'both resources': { resource: [ISSUER, MCP] },
  'a resource of somebody else': { resource: 'https://api.example' },
  'twenty-one resources': { resource: Array(21).fill(MCP) },
}

export const CODE_EXCHANGE: Stories = {
  ...variations(REDEMPTIONS, async (world, changed) =>
    redemption(world.cast.app, await codeFor(world, world.cast.app), changed),
  ),
  'a confidential client': async (world) =>
    world.ask(redemption(world.cast.vault, await codeFor(world, world.cast.vault))),
  'a client without refresh tokens': async (world) =>
    world.ask(redemption(world.cast.guest, await codeFor(world, world.cast.guest))),
  'a client that wants EdDSA': async (world) =>
    world.ask(redemption(world.cast.modern, await codeFor(world, world.cast.modern))),
  'no openid': async (world) =>
    world.ask(redemption(world.cast.app, await codeFor(world, world.cast.app, { scope: 'courses:read' }))),
  'a nonce': async (world) =>
    world.ask(redemption(world.cast.app, await codeFor(world, world.cast.app, { nonce: 'a nonce' }))),
  'a sign-in of long ago': async (world) => {
    const code = await codeFor(world, world.cast.app, {}, 'user=alice@1799990000')
    await world.ask(redemption(world.cast.app, code))
  },
  'the code of another client': async (world) => {
    const code = await codeFor(world, world.cast.app)
    await world.ask(redemption(world.cast.vault, code))
    await world.ask(redemption(world.cast.app, code))
  },
  'a secret that is nearly right': async (world) => {
    const code = await codeFor(world, world.cast.app)
    await world.ask(redemption(world.cast.app, code.slice(0, -1) + (code.endsWith('A') ? 'B' : 'A')))
  },
  'a code in its last second': async (world) => {
    const code = await codeFor(world, world.cast.app)
    world.ground.clock.now += 59
    await world.ask(redemption(world.cast.app, code))
  },
  'an expired code': async (world) => {
    const code = await codeFor(world, world.cast.app)
    world.ground.clock.now += 60
    await world.ask(redemption(world.cast.app, code))
  },
  'a code used twice': async (world) => {
    const code = await codeFor(world, world.cast.app)
    const tokens = tokensOf(await world.askUnrecorded(redemption(world.cast.app, code)))
    await world.ask(redemption(world.cast.app, code))
    await world.ask(userinfo(tokens.access_token))
    await world.ask(refreshing(world.cast.app, tokens.refresh_token))
    await world.ask(redemption(world.cast.app, code))
  },
  'a wrong verifier ends the code': async (world) => {
    const code = await codeFor(world, world.cast.app)
    await world.ask(redemption(world.cast.app, code, { code_verifier: long(43) }))
    await world.ask(redemption(world.cast.app, code))
  },
  'a resource more than was approved': async (world) => {
    const code = await codeFor(world, world.cast.app, { resource: MCP })
    await world.ask(redemption(world.cast.app, code, { resource: ISSUER }))
    await world.ask(redemption(world.cast.app, code))
  },
  'one resource of two': async (world) => {
    const code = await codeFor(world, world.cast.app, { resource: [ISSUER, MCP] })
    await world.ask(redemption(world.cast.app, code, { resource: `${ISSUER}/` }))
  },
  'a key that is gone': async (world) => {
    const code = await codeFor(world, world.cast.modern)
    await world.reopened({ keys: [RSA_KEY] }).ask(redemption(world.cast.modern, code))
    await world.ask(redemption(world.cast.modern, code))
  },
}
