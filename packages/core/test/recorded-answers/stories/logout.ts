import { logout } from '@grantkit/core/logout'
import { tokensFor } from '../approval.ts'
import { ED25519_KEY, RSA_KEY } from '../published-keys.ts'
import { readablePages } from '../readable-pages.ts'
import { encoded, form, type Given, get, registration } from '../requests.ts'
import type { Stories, World } from '../world.ts'

const BACK = 'http://127.0.0.1:7001/signed-out'
const ALICE = { cookie: 'user=alice' }

/** The server with logout, a client that registered where to go back to, and a hint of Alice. */
async function opened(world: World) {
  const page = (body: string) => ({ status: 200, headers: { 'content-type': 'text/html' }, body })
  const interaction = {
    ...readablePages(() => 1_800_000_000),
    endSession: async () => 'user=; Max-Age=0',
    logoutPage: (view: object) => page(JSON.stringify(view)),
    signedOutPage: () => page('signed out'),
  }
  const secret = 'a secret of the tests, long enough to pass'
  const feature = logout({ interaction, secret, keys: [RSA_KEY, ED25519_KEY] })
  const { ask, askUnrecorded } = world.reopened({ features: [feature] })
  const metadata = { client_name: 'App', post_logout_redirect_uris: [BACK, 'https://app.example/out'] }
  const { client_id } = JSON.parse((await askUnrecorded(registration(metadata))).body)
  const { id_token } = await tokensFor(world, { client_id })
  const send = (query: Given, headers = ALICE) => ask(get('/oauth/logout', headers, encoded(query)))
  const about = { client_id, post_logout_redirect_uri: BACK, state: 'a state' }
  return { ask, askUnrecorded, send, client_id, id_token, metadata, about }
}

export const LOGOUT: Stories = {
  'a client that registers where to go back to': async (world) => {
    const { ask, metadata } = await opened(world)
    await ask(registration(metadata))
    await ask(registration({ post_logout_redirect_uris: 'nonsense' }))
  },
  'a hint of this sign-in': async (world) => {
    const { send, ask, id_token, about } = await opened(world)
    await send({ id_token_hint: id_token })
    await send({ id_token_hint: id_token, ...about })
    await ask(form('/oauth/logout', { id_token_hint: id_token, ...about }))
  },
  'no hint': async (world) => {
    const { send, ask, about } = await opened(world)
    const { action, ticket } = JSON.parse((await send(about))?.body ?? '{}')
    const [path = '', query = ''] = action.split('?')
    await ask({ ...form(path, { ticket }, ALICE), query })
    await ask({ ...form(path, { ticket }), query })
    await send({})
    await ask(get('/oauth/logout'))
  },
  'a hint that proves nothing': async (world) => {
    const { send, id_token, about } = await opened(world)
    await send({ id_token_hint: id_token, ...about }, { cookie: 'user=bob' })
    await send({ id_token_hint: 'nonsense', ...about })
    await send({ id_token_hint: id_token, client_id: world.cast.app.client_id })
  },
  'an address that nobody registered': async (world) => {
    const { send, id_token } = await opened(world)
    await send({ id_token_hint: id_token, post_logout_redirect_uri: 'https://app.example/out' })
    await send({ post_logout_redirect_uri: BACK })
  },
}
