import { clientDocuments, type Feature, type HttpResponse } from '@grantkit/core'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { type PushedAuthorizationRequestsOptions, pushedAuthorizationRequests } from '@grantkit/core/par'
import { decision } from '../approval.ts'
import { ED25519_KEY } from '../published-keys.ts'
import {
  authorization,
  authorizationQuery,
  type Credentials,
  form,
  type Given,
  get,
  REDIRECT_URI,
} from '../requests.ts'
import type { Stories, World } from '../world.ts'

const ALICE = { cookie: 'user=alice' }
const URN = 'urn:ietf:params:oauth:request_uri:'

function opened(
  world: World,
  options: Partial<PushedAuthorizationRequestsOptions> = {},
  others: readonly Feature[] = [],
) {
  const secret = 'a secret of the tests, long enough to pass'
  const there = world.reopened({ features: [pushedAuthorizationRequests({ secret, ...options }), ...others] })
  const request = (client: Credentials, changed: Given) => {
    const asked = Object.fromEntries(new URLSearchParams(authorizationQuery(client)))
    return form('/api/oauth/par', { ...asked, ...client, ...changed })
  }
  const push = (changed: Given = {}, client: Credentials = world.cast.app) =>
    there.ask(request(client, changed))
  const pushed = async (client: Credentials = world.cast.app): Promise<string> =>
    JSON.parse((await there.askUnrecorded(request(client, {}))).body).request_uri
  const arrive = (request_uri: string, { client_id }: Credentials = world.cast.app) =>
    there.ask(get('/oauth/authorize', ALICE, String(new URLSearchParams({ client_id, request_uri }))))
  const follow = ({ headers }: HttpResponse) => {
    const [path = '', query = ''] = String(headers.location).split('?')
    return there.ask(get(path, ALICE, query))
  }
  return { ...there, push, pushed, arrive, follow }
}

const { kid: _, d: __, alg: ___, ...publicKey } = ED25519_KEY
const EDITOR = { client_id: 'https://editor.dev/client.json' }
/** The document of a client that must sign, though it did not when it pushed. */
const signingEditor = clientDocuments({
  fetch: async () => {
    const members = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [publicKey] } }
    const document = { ...EDITOR, client_name: 'Editor', redirect_uris: [REDIRECT_URI], ...members }
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(document) }
  },
})

const REFUSED: Readonly<Record<string, Given>> = {
  'with a request_uri': { request_uri: `${URN}x` },
  'with a request object': { request: 'x' },
  'without a challenge': { code_challenge: undefined },
  'with a foreign redirect URI': { redirect_uri: 'https://evil.example/callback' },
  'with a scope that does not exist': { scope: 'courses:reed' },
  'that is too long': { state: 'x'.repeat(4000), nonce: 'x'.repeat(1000) },
  'of a client that nobody knows': { client_id: 'nobody' },
}

export const PAR: Stories = {
  'a request that is pushed, presented and answered': async (world) => {
    const { push, arrive, follow, ask } = opened(world)
    const { request_uri } = JSON.parse((await push()).body)
    const page = await follow(await arrive(request_uri))
    await ask(decision(JSON.parse(page.body)))
    await arrive(request_uri)
  },
  'a request that is presented too late': async (world) => {
    const { pushed, arrive, ground } = opened(world)
    const request_uri = await pushed()
    ground.clock.now += 60
    await arrive(request_uri)
  },
  'a request_uri that nobody made, and that of another client': async (world) => {
    const { pushed, arrive, cast } = opened(world)
    await arrive(`${URN}x`)
    await arrive(await pushed(), cast.reader)
  },
  'a plain request where all must push': async (world) => {
    const { ask, cast } = opened(world, { required: true })
    await ask(authorization(cast.app))
  },
  'a push of a client that must sign, and whose keys were not known then': async (world) => {
    const { push, arrive, follow } = opened(world, { required: true }, [signingEditor, clientAssertion()])
    const { request_uri } = JSON.parse((await push({}, EDITOR)).body)
    await follow(await arrive(request_uri, EDITOR))
  },
  'a push with a wrong secret': (world) => opened(world).push({ client_secret: 'wrong' }, world.cast.vault),
  ...Object.fromEntries(
    Object.entries(REFUSED).map(([name, changed]): [string, Stories[string]] => [
      `a push ${name}`,
      (world) => opened(world).push(changed),
    ]),
  ),
}
