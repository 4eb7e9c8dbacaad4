import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { tokensFor, tokensOf } from '../approval.ts'
import { type Credentials, form, type Given, introspection, registration } from '../requests.ts'
import { ISSUER } from '../server.ts'
import type { Stories, World } from '../world.ts'

const GRANT_TYPES = { grant_types: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE] }

function exchange(client: Credentials, subject_token: string, changed: Given = {}) {
  const types = { grant_type: TOKEN_EXCHANGE, subject_token_type: ACCESS_TOKEN_TYPE }
  return form('/api/oauth/token', { ...client, ...types, subject_token, ...changed })
}

/** A client with a token of Alice, and an API that may exchange what it is shown. */
async function opened(world: World) {
  const { ask, askUnrecorded, askGuard, server } = world.reopened({ features: [tokenExchange()] })
  const { body } = await askUnrecorded(registration({ client_name: 'Agent', ...GRANT_TYPES }))
  const { client_id } = JSON.parse(body)
  const { access_token } = await tokensFor(world, { client_id })
  const send = (changed: Given = {}, token = access_token) => ask(exchange({ client_id }, token, changed))
  const addApi = async (resources: readonly string[]): Promise<Credentials> => {
    const about = { client_name: 'An API', redirect_uris: ['https://api.example/callback'], ...GRANT_TYPES }
    const added = await server.clients.add({ ...about, token_exchange_resources: resources })
    return { client_id: added.client_id, client_secret: added.client_secret }
  }
  return { ask, askUnrecorded, askGuard, send, addApi, access_token }
}

const REFUSED: Readonly<Record<string, Given>> = {
  'another type of token': { subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' },
  'an actor token': { actor_token: 'x' },
  'for another type of token': { requested_token_type: 'urn:ietf:params:oauth:token-type:jwt' },
  'for an audience': { audience: ISSUER },
  'for a scope it lacks': { scope: 'students:read' },
  'for a resource of nobody': { resource: 'https://elsewhere.example' },
  'without a token': { subject_token: undefined },
  'of a token nobody knows': { subject_token: `gka_${'x'.repeat(22)}.${'y'.repeat(43)}` },
}

export const TOKEN_EXCHANGE_STORIES: Stories = {
  'a token for a part of itself': async (world) => {
    const { send, askGuard } = await opened(world)
    const { access_token } = tokensOf(await send({ scope: 'courses:read', expires_in: '300' }))
    const headers = { authorization: `Bearer ${access_token}` }
    await askGuard({ method: 'GET', path: '/courses', headers }, ['courses:read'])
    await askGuard({ method: 'GET', path: '/courses', headers }, ['openid'])
  },
  'by an API for its caller': async (world) => {
    const { ask, addApi, access_token } = await opened(world)
    const api = await addApi([ISSUER])
    const child = tokensOf(await ask(exchange(api, access_token)))
    await ask(introspection(api, child.access_token))
  },
  'by an API that may not': async (world) => {
    const { ask, addApi, access_token } = await opened(world)
    await ask(exchange(await addApi([]), access_token))
  },
  'a chain of four': async (world) => {
    const { send } = await opened(world)
    let token: string | undefined
    for (let link = 0; link < 4; link++) token = tokensOf(await send({}, token)).access_token
  },
  'the ninth token of a grant': async (world) => {
    const { send, askUnrecorded, access_token, addApi } = await opened(world)
    const api = await addApi([ISSUER])
    for (let count = 0; count < 8; count++) await askUnrecorded(exchange(api, access_token))
    await send()
  },
  ...Object.fromEntries(
    Object.entries(REFUSED).map(([name, changed]): [string, Stories[string]] => [
      name,
      async (world) => (await opened(world)).send(changed),
    ]),
  ),
}
