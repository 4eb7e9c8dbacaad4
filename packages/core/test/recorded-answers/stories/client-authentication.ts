import type { ClientAuthMethod } from '@grantkit/core'
import type { Cast } from '../cast.ts'
import { form, type Given, REDIRECT_URI } from '../requests.ts'
import { type Stories, variations } from '../world.ts'

/** Each authentication method at each endpoint, for a confidential and a public client. */
const PATHS = ['/api/oauth/token', '/api/oauth/revoke', '/api/oauth/introspect']

interface Attempt {
  readonly who: keyof Cast
  readonly given?: Given
  readonly headers?: Readonly<Record<string, string>>
}

const ASSERTION = {
  client_assertion: 'eyJhbGciOiJub25lIn0.e30.',
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
}
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
const BASIC = basic('client', 'secret')

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  'public, nothing more': { who: 'app' },
  'public, with a secret': { who: 'app', given: { client_secret: 'secret' } },
  'public, with an empty secret': { who: 'app', given: { client_secret: '' } },
  'public, with Basic': { who: 'app', headers: BASIC },
  'public, with Bearer': { who: 'app', headers: { authorization: 'Bearer token' } },
  'public, with an empty Authorization': { who: 'app', headers: { authorization: '' } },
  'public, with an assertion': { who: 'app', given: ASSERTION },
  'confidential, the right secret': { who: 'vault' },
  'confidential, a wrong secret': { who: 'vault', given: { client_secret: 'wrong' } },
  'confidential, no secret': { who: 'vault', given: { client_secret: undefined } },
  'confidential, two secrets': { who: 'vault', given: { client_secret: ['one', 'other'] } },
  'confidential, a secret of 201 characters': { who: 'vault', given: { client_secret: 'x'.repeat(201) } },
  'confidential, the secret and Basic': { who: 'vault', headers: BASIC },
  'confidential, Basic alone': { who: 'vault', given: { client_secret: undefined }, headers: BASIC },
  'confidential, the secret and an assertion': { who: 'vault', given: ASSERTION },
  'confidential, an assertion alone': { who: 'vault', given: { client_secret: undefined, ...ASSERTION } },
  'confidential, the type of an assertion': {
    who: 'vault',
    given: { client_assertion_type: ASSERTION.client_assertion_type },
  },
  'an integration, the right secret': { who: 'crm' },
  'an integration, a wrong secret': { who: 'crm', given: { client_secret: 'wrong' } },
  'nobody, Basic alone': {
    who: 'app',
    given: { client_id: undefined },
    headers: BASIC,
  },
  'nobody, a scheme that is too long to repeat': {
    who: 'app',
    given: { client_id: undefined },
    headers: { authorization: `${'x'.repeat(21)} y` },
  },
  'nobody at all': { who: 'app', given: { client_id: undefined } },
  'a client_id that nobody has': { who: 'app', given: { client_id: 'nobody' } },
  'a client_id that nobody has, with a secret': {
    who: 'app',
    given: { client_id: 'nobody', client_secret: 'secret' },
  },
  'a client_id of 513 characters': { who: 'app', given: { client_id: 'x'.repeat(513) } },
  'two of client_id': { who: 'app', given: { client_id: ['one', 'other'] } },
}

const TOKEN = `gkr_${'x'.repeat(22)}.${'x'.repeat(22)}.0.${'x'.repeat(43)}`

/** What a confidential client puts into the header, and what else. */
const BY_BASIC: Readonly<Record<string, (vault: Cast['vault']) => Pick<Attempt, 'headers' | 'given'>>> = {
  'the right secret': ({ client_id, client_secret = '' }) => ({ headers: basic(client_id, client_secret) }),
  'a wrong secret': ({ client_id }) => ({ headers: basic(client_id, 'wrong') }),
  'no secret': ({ client_id }) => ({ headers: basic(client_id, '') }),
  'and the same client_id': ({ client_id, client_secret = '' }) => ({
    headers: basic(client_id, client_secret),
    given: { client_id },
  }),
  malformed: () => ({ headers: { authorization: 'Basic x' } }),
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  JSON: 'application/json',
  'several parts': 'multipart/form-data; boundary=x',
  'a form in another encoding': 'application/x-www-form-urlencoded; charset=iso-8859-1',
  'a form that says it is UTF-8': 'application/x-www-form-urlencoded;charset=utf-8',
  'no media type': '',
}

function atEach(attempts: typeof ATTEMPTS): Stories {
  const stories = Object.entries(attempts).map(
    ([name, { who, given, headers }]): [string, Stories[string]] => [
      name,
      async ({ cast, ask }) => {
        for (const path of PATHS) {
          const credential = path.endsWith('token')
            ? { grant_type: 'refresh_token', refresh_token: TOKEN }
            : { token: TOKEN }
          await ask(form(path, { ...credential, ...cast[who], ...given }, headers))
        }
      },
    ],
  )
  return Object.fromEntries(stories)
}

export const CLIENT_AUTHENTICATION: Stories = {
  ...atEach(ATTEMPTS),
  ...Object.fromEntries(
    Object.entries(BY_BASIC).map(([name, attempt]): [string, Stories[string]] => [
      `by Basic, ${name}`,
      ({ cast }) => {
        const { headers, given } = attempt(cast.vault)
        return form('/api/oauth/introspect', { token: TOKEN, ...given }, headers)
      },
    ]),
  ),
  'by Basic, where it is not offered': ({ cast, reopened }) => {
    const { client_id, client_secret = '' } = cast.vault
    const world = reopened({ clientAuthentication: ['none', 'client_secret_post'] })
    return world.ask(form('/api/oauth/introspect', { token: TOKEN }, basic(client_id, client_secret)))
  },
  'by a method of a feature that answers false': async ({ reopened }) => {
    const badge: ClientAuthMethod = {
      name: 'badge',
      carrier: 'badge',
      read: (_request, { client_id }) => ({ clientId: client_id, verify: () => false }),
    }
    const { ask, server } = reopened({ features: [() => ({ clientAuthMethods: [badge] })] })
    const gate = { client_name: 'Gate', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'badge' }
    const { client_id } = await server.clients.add(gate)
    await ask(form('/api/oauth/introspect', { token: TOKEN, client_id, badge: 'x' }))
  },
  ...variations(MEDIA_TYPES, (_, type) =>
    form('/api/oauth/token', { grant_type: 'refresh_token' }, { 'content-type': type }),
  ),
  'credentials in the query': ({ cast }) => ({
    ...form('/api/oauth/token', { grant_type: 'refresh_token', refresh_token: TOKEN }),
    query: `client_id=${cast.app.client_id}`,
  }),
  'the largest body': ({ cast }) => largeBody(cast, 65_536),
  'a body that is too large': ({ cast }) => largeBody(cast, 65_537),
  'a form of too many parameters': () => ({ ...form('/api/oauth/token', {}), body: '&'.repeat(100) }),
  'an empty body': () => ({ ...form('/api/oauth/token', {}) }),
}

function largeBody({ app }: Cast, size: number) {
  const ask = form('/api/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: TOKEN,
    ...app,
    more: 'x',
  })
  return { ...ask, body: ask.body?.padEnd(size, 'x') ?? '' }
}
