import type { Client } from '@grantkit/core'
import { ALICE, authorization, authorizationQuery, form, type Given, get, REDIRECT_URI } from '../requests.ts'
import { type Stories, variations } from '../world.ts'

const long = (length: number) => 'x'.repeat(length)

/** Parameters that decide the target of the answer. Before it is known, a refusal is a page. */
const TARGETS: Readonly<Record<string, Given>> = {
  'no client_id': { client_id: undefined },
  'an empty client_id': { client_id: '' },
  'a client_id that nobody has': { client_id: 'nobody' },
  'a client_id of 513 characters': { client_id: long(513) },
  'a client_id of 4001 characters': { client_id: long(4001) },
  'two of client_id': { client_id: ['one', 'other'] },
  'no redirect_uri': { redirect_uri: undefined },
  'an empty redirect_uri': { redirect_uri: '' },
  'two of redirect_uri': { redirect_uri: [REDIRECT_URI, REDIRECT_URI] },
  'a redirect_uri of 4001 characters': { redirect_uri: long(4001) },
  'a redirect_uri of somebody else': { redirect_uri: 'https://evil.example/callback' },
  'a redirect_uri with a path more': { redirect_uri: `${REDIRECT_URI}/more` },
  'a redirect_uri with a query more': { redirect_uri: `${REDIRECT_URI}?more` },
  'another port of 127.0.0.1': { redirect_uri: 'http://127.0.0.1:9999/callback' },
  'a port of [::1]': { redirect_uri: 'http://[::1]:9999/callback' },
  'another port of localhost': { redirect_uri: 'http://localhost:9999/callback' },
  'the registered port of localhost': { redirect_uri: 'http://localhost:7002/callback' },
  'a redirect_uri that has a query': { redirect_uri: 'http://127.0.0.1/with?query=1' },
  'a refusal at a redirect_uri that has a query': {
    redirect_uri: 'http://127.0.0.1/with?query=1',
    response_type: 'token',
  },
  'a client and everything else wrong': {
    client_id: 'nobody',
    redirect_uri: 'nowhere',
    response_type: 'x',
    scope: '"',
  },
}

const FORM = 'application/x-www-form-urlencoded'

export const AUTHORIZATION_TARGET: Stories = {
  ...variations(TARGETS, ({ cast }, changed) => authorization(cast.app, changed)),
  'a POST': ({ cast }) => ({
    ...authorization(cast.app),
    method: 'POST',
    query: '',
    headers: { 'content-type': FORM, cookie: ALICE },
    body: authorizationQuery(cast.app),
  }),
  'a POST that has a query only': ({ cast }) => ({
    ...authorization(cast.app),
    method: 'POST',
    headers: { 'content-type': FORM, cookie: ALICE },
  }),
  'a POST of JSON': ({ cast }) => ({
    ...authorization(cast.app),
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  }),
  'a POST that is too large': () => form('/oauth/authorize', { state: long(65_537) }),
  'a redirect_uri of a document that the policy does not accept': async ({ cast, ground, reopened }) => {
    const seen = await ground.store.clients.find(cast.app.client_id)
    const redirect_uri = 'https://editor.example/redirect'
    const editor = { ...seen?.value, origin: 'document', redirectUris: [redirect_uri] } as Client
    const source = { owns: () => true, find: async () => editor }
    const { ask } = reopened({ features: [() => ({ clientSources: () => [source] })] })
    await ask(authorization(cast.app, { redirect_uri }))
  },
  'a client that is gone': async ({ cast, ask, server, note }) => {
    note('clients.remove', await server.clients.remove(cast.app.client_id))
    note('clients.remove, once more', await server.clients.remove(cast.app.client_id))
    await ask(authorization(cast.app))
  },
  'a client that nobody approved for a day': async ({ cast, ask, ground }) => {
    ground.clock.now += 24 * 60 * 60
    await ask(authorization(cast.app))
  },
  'a query that is no query': () => get('/oauth/authorize', {}, '%E0%A4%A&&&=x&client_id'),
}
