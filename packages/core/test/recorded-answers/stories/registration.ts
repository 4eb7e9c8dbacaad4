import { loopbackOnly } from '@grantkit/core'
import { type Ask, json, REDIRECT_URI, registration } from '../requests.ts'
import { type Stories, variations } from '../world.ts'

const PATH = '/api/oauth/register'
const long = (length: number) => 'x'.repeat(length)

/** A valid registration of exactly this size in bytes, padded with blanks. */
function ofSize(size: number): Ask {
  const ask = registration({})
  return { ...ask, body: ask.body?.padEnd(size) ?? '' }
}

const METADATA: Readonly<Record<string, object>> = {
  'the least there can be': {},
  'a public client': { token_endpoint_auth_method: 'none' },
  'a confidential client': { token_endpoint_auth_method: 'client_secret_post' },
  client_secret_basic: { token_endpoint_auth_method: 'client_secret_basic' },
  private_key_jwt: { token_endpoint_auth_method: 'private_key_jwt' },
  'a name': { client_name: 'Timetable' },
  'a name with spaces around it': { client_name: '  Timetable ' },
  'an empty name': { client_name: '' },
  'a blank name': { client_name: '   ' },
  'a name that reads backwards': { client_name: 'App\u202egnp' },
  'a name with a line break': { client_name: 'App\nOther' },
  'a name in other letters': { client_name: 'Schüler-Büro 学校' },
  'a name that is a number': { client_name: 7 },
  'a name that is null': { client_name: null },
  'a name of 200 characters': { client_name: long(200) },
  'a name of 201 characters': { client_name: long(201) },
  'both grant types': { grant_types: ['authorization_code', 'refresh_token'] },
  'only the code': { grant_types: ['authorization_code'] },
  'only refresh tokens': { grant_types: ['refresh_token'] },
  'a grant type that is not offered': { grant_types: ['authorization_code', 'implicit'] },
  'no grant type': { grant_types: [] },
  'a grant type that is no list': { grant_types: 'authorization_code' },
  'too many grant types': { grant_types: Array(21).fill('authorization_code') },
  'the response type code': { response_types: ['code'] },
  'the response type token': { response_types: ['token'] },
  'both response types': { response_types: ['code', 'token'] },
  'a response type of 101 characters': { response_types: [long(101)] },
  'a scope': { scope: 'openid courses:read' },
  'a scope with names of other servers': { scope: 'openid offline_access courses:read' },
  'a scope of other servers alone': { scope: 'offline_access' },
  'an empty scope': { scope: '' },
  'a scope with two spaces': { scope: 'openid  profile' },
  'a scope of 4001 characters': { scope: long(4001) },
  'an application on the desktop': { application_type: 'native' },
  'an application on the web': { application_type: 'web' },
  'an application of another type': { application_type: 'mobile' },
  'ID tokens by EdDSA': { id_token_signed_response_alg: 'EdDSA' },
  'ID tokens by an algorithm without a key': { id_token_signed_response_alg: 'ES256' },
  'ID tokens without a signature': { id_token_signed_response_alg: 'none' },
  links: {
    client_uri: 'https://app.example',
    logo_uri: 'https://app.example/logo.png',
    tos_uri: 'https://app.example/terms',
    policy_uri: 'https://app.example/privacy',
  },
  'a link without https': { client_uri: 'http://app.example' },
  'a link that runs a script': { logo_uri: 'javascript:alert(1)' },
  'a link that is too long': { tos_uri: `https://app.example/${long(2048)}` },
  'contacts and software': { contacts: ['a@app.example'], software_id: 'app', software_version: '1.0' },
  'too many contacts': { contacts: Array(11).fill('a@app.example') },
  'a contact of 201 characters': { contacts: [long(201)] },
  'a software_id that is too long': { software_id: long(201) },
  'a software_version that is too long': { software_version: long(201) },
  'members that nobody knows': { jwks_uri: 'https://app.example/keys', __proto__2: 1, resource_server: true },
}

const BODIES: Readonly<Record<string, Ask>> = {
  'a list': json(PATH, []),
  'a number': json(PATH, 7),
  null: json(PATH, null),
  'no JSON': { ...json(PATH, {}), body: '{' },
  'a form': { ...json(PATH, {}), headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  'no media type': { method: 'POST', path: PATH, body: '{}' },
  'JSON in another encoding': {
    ...json(PATH, {}),
    headers: { 'content-type': 'application/json; charset=latin1' },
  },
  'JSON that says it is UTF-8': {
    ...registration({}),
    headers: { 'content-type': 'Application/JSON; charset="UTF-8"' },
  },
  'the largest body': ofSize(65_536),
  'a body that is too large': ofSize(65_537),
}

const TWO = ['https://app.example/callback', REDIRECT_URI]

export const REGISTRATION: Stories = {
  ...variations(METADATA, (_, metadata) => registration(metadata)),
  ...variations(BODIES, (_, ask) => ask),
  'a policy without localhost': async ({ reopened }) => {
    const { ask } = reopened({ redirectUriPolicy: loopbackOnly({ localhost: false }) })
    await ask(registration({ redirect_uris: ['http://localhost:7001/callback'] }))
  },
  'a policy that prunes': async ({ reopened }) => {
    const { ask } = reopened({ redirectUriPolicy: loopbackOnly() })
    await ask(registration({ redirect_uris: TWO }))
    await ask(registration({ redirect_uris: TWO.slice(0, 1) }))
  },
}
