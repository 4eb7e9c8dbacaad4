import type { RateLimiter } from '@grantkit/core'
import { DEVICE_CODE_GRANT, type DeviceOptions, device } from '@grantkit/core/device'
import { dpop } from '@grantkit/core/dpop'
import { fixedProvingKey } from '../../proving-key.ts'
import { ED25519_KEY } from '../published-keys.ts'
import { readablePages } from '../readable-pages.ts'
import { type Ask, encoded, form, type Given, get, redemption } from '../requests.ts'
import { ISSUER, type Settings } from '../server.ts'
import type { Stories, World } from '../world.ts'

const DEVICE = '203.0.113.7'
const ALICE = { cookie: 'user=alice' }
/** A limiter that refuses everything for half a minute. */
const FULL: RateLimiter = { take: async () => 30 }

interface Started {
  readonly device_code: string
  readonly user_code: string
}

/** The server with the device grant, and a command-line tool that the operator knows. */
async function opened(world: World, options: Partial<DeviceOptions> = {}, settings: Settings = {}) {
  const page = (body: string) => ({ status: 200, headers: { 'content-type': 'text/html' }, body })
  const interaction = {
    ...readablePages(() => world.ground.clock.now),
    userCodePage: (view: object) => page(JSON.stringify(view)),
    devicePage: (view: object) => page(JSON.stringify(view)),
    deviceAnsweredPage: ({ allowed }: { allowed: boolean }) => page(allowed ? 'allowed' : 'denied'),
  }
  const secret = 'a secret of the tests, long enough to pass'
  const reopened = world.reopened({
    ...settings,
    features: [device({ interaction, secret, ...options }), ...(settings.features ?? [])],
  })
  const { client_id } = await reopened.server.clients.add({
    client_name: 'Tool',
    redirect_uris: [],
    token_endpoint_auth_method: 'none',
    grant_types: [DEVICE_CODE_GRANT, 'refresh_token'],
  })
  return { ...reopened, ...stepsOf(reopened, { client_id }), tool: { client_id } }
}

function stepsOf({ askUnrecorded }: World, tool: { client_id: string }) {
  const beginning = (changed: Given = {}): Ask => ({
    ...form('/api/oauth/device_authorization', { ...tool, scope: 'openid courses:read', ...changed }),
    from: DEVICE,
  })
  const start = async (changed: Given = {}): Promise<Started> =>
    JSON.parse((await askUnrecorded(beginning(changed))).body)
  const typing = async (user_code: string): Promise<Ask> => {
    const { ticket } = JSON.parse((await askUnrecorded(get('/oauth/device', ALICE))).body)
    return form('/oauth/device', { ticket, user_code }, ALICE)
  }
  const shown = async ({ user_code }: Started) =>
    JSON.parse((await askUnrecorded(await typing(user_code))).body) as { action: string; ticket: string }
  const deciding = ({ action, ticket }: { action: string; ticket: string }, decision: string): Ask => {
    const [path = '', query = ''] = action.split('?')
    const given = { ticket, decision, scope: ['openid', 'courses:read'] }
    return { ...form(path, given, ALICE), query }
  }
  const polling = ({ device_code }: Started, changed: Given = {}): Ask =>
    form('/api/oauth/token', { grant_type: DEVICE_CODE_GRANT, ...tool, device_code, ...changed })
  const approved = async (changed: Given = {}) => {
    const started = await start(changed)
    await askUnrecorded(deciding(await shown(started), 'allow'))
    return started
  }
  return { beginning, start, typing, shown, deciding, polling, approved }
}

export const DEVICE_STORIES: Stories = {
  'from a device to its tokens': async (world) => {
    const { ask, beginning, typing, deciding, polling } = await opened(world)
    const started: Started = JSON.parse((await ask(beginning())).body)
    await ask(polling(started))
    await ask(get('/oauth/device', ALICE))
    const view = JSON.parse((await ask(await typing(started.user_code))).body)
    await ask(deciding(view, 'allow'))
    await ask(polling(started))
    await ask(polling(started))
  },
  'an address with the code in it': async (world) => {
    const { ask, beginning } = await opened(world, { completeUri: true })
    await ask(beginning())
    await ask(get('/oauth/device', ALICE, 'user_code=WDJB-MJHT'))
    await ask(get('/oauth/device', {}, 'user_code=WDJB-MJHT'))
  },
  'a request that is refused': async (world) => {
    const { ask, beginning } = await opened(world)
    for (const changed of [
      { scope: 'courses:write' },
      { scope: 'nope' },
      { scope: undefined },
      { resource: 'https://other.example' },
      { code_challenge: 'x' },
      { client_id: world.cast.app.client_id },
      { client_id: 'nobody' },
    ])
      await ask(beginning(changed))
  },
  'a denial': async (world) => {
    const { ask, start, shown, deciding, polling } = await opened(world)
    const started = await start()
    const view = await shown(started)
    await ask(deciding(view, 'deny'))
    await ask(deciding(view, 'allow'))
    await ask(polling(started))
  },
  'a code that nobody can answer': async (world) => {
    const { ask, typing, start, ground } = await opened(world)
    await ask(await typing('WDJB-MJHT'))
    await ask(await typing('nonsense'))
    const { user_code } = await start()
    ground.clock.now += 600
    await ask(await typing(user_code))
  },
  'forms that prove nothing': async (world) => {
    const { ask, start, shown, deciding, ground } = await opened(world)
    await ask(form('/oauth/device', { ticket: 'x', user_code: 'WDJB-MJHT' }, ALICE))
    const view = await shown(await start())
    await ask({ ...deciding(view, 'allow'), query: 'request=unknown' })
    await ask({ ...deciding(view, 'allow'), headers: {} })
    await ask(deciding({ ...view, ticket: 'x' }, 'allow'))
    ground.clock.now += 600
    await ask(deciding(view, 'allow'))
  },
  'polls that are refused': async (world) => {
    const { ask, start, approved, polling, ground, server } = await opened(world)
    const waiting = await start()
    await ask(polling({ ...waiting, device_code: 'nonsense' }))
    await ask(polling({ ...waiting, device_code: `${waiting.device_code.slice(0, -1)}` }))
    const grant_types = [DEVICE_CODE_GRANT]
    const other = await server.clients.add({ client_name: 'Other', redirect_uris: [], grant_types })
    const { client_id, client_secret } = other
    await ask(polling(waiting, { client_id, client_secret }))
    await ask(polling(await approved(), { client_id, client_secret }))
    await ask(polling(waiting, { client_id: world.cast.app.client_id }))
    ground.clock.now += 600
    await ask(polling(waiting))
  },
  'a poll for other resources than the last one': async (world) => {
    const { ask, approved, polling } = await opened(world)
    const started = await approved()
    await ask(polling(started, { resource: 'https://school.example' }))
    await ask(polling(started, { resource: 'https://school.example/mcp' }))
  },
  'a code that is used again later': async (world) => {
    const { ask, askUnrecorded, approved, polling, ground } = await opened(world)
    const started = await approved()
    await askUnrecorded(polling(started))
    ground.clock.now += 900
    await ask(polling(started))
    await ask(polling(started))
  },
  'a request with a challenge': async (world) => {
    const { ask, approved, polling } = await opened(world)
    const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    const started = await approved({ code_challenge, code_challenge_method: 'S256' })
    await ask(polling(started))
    await ask(polling(started, { code_verifier: 'x'.repeat(43) }))
  },
  'no room left': async (world) => {
    const { ask, beginning, start, typing, polling } = await opened(world)
    const started = await start()
    const full = await opened(world, { rateLimiter: FULL })
    await full.ask(full.beginning())
    await full.ask(await typing(started.user_code))
    await full.ask({ ...polling(started) })
    await ask(beginning())
  },
  'no code that is free': async (world) => {
    const same = (size: number) => new Uint8Array(size)
    const { ask, beginning } = await opened(world, {}, { random: same })
    await ask(beginning())
    await ask(beginning())
  },
  'a code of another kind': async (world) => {
    const { ask, approved } = await opened(world)
    const { device_code } = await approved()
    await ask(redemption(world.cast.app, device_code))
    await ask(form('/api/oauth/introspect', { ...world.cast.api, token: device_code }))
    await ask(form('/api/oauth/revoke', { ...world.cast.app, token: device_code }))
  },
  'a code that was asked for with a proof, without it': async (world) => {
    const features = [dpop({ secret: 'a secret of the proofs, long enough to pass' })]
    const { ask, askUnrecorded, beginning, polling } = await opened(world, {}, { features })
    const { path, ...begun } = beginning()
    const claims = { jti: 'a proof', htm: 'POST', htu: `${ISSUER}${path}`, iat: 1_800_000_000 }
    const headers = { ...begun.headers, dpop: fixedProvingKey(ED25519_KEY).proof(claims) }
    const { body } = await askUnrecorded({ ...begun, path, headers })
    await ask(polling(JSON.parse(body)))
  },
  'a page of a method that it does not have': async (world) => {
    const { ask } = await opened(world)
    await ask({ ...get('/oauth/device'), method: 'PUT' })
    await ask(get('/oauth/device/decision', ALICE, encoded({ request: 'x' })))
  },
}
