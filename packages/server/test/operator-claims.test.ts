import type { TokenClaims } from '@grantkit/core'
import { formBrowser } from '@grantkit/testkit/client'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { directory, type Server, STANDARD_SCOPES } from '../src/index.ts'
import { createdServer } from './created-server.ts'

/** Claims of the operator over HTTP, with openid-client: by the definition and by the configuration of a server. */

const REDIRECT_URI = 'http://127.0.0.1:49152/callback'
const ALICE = {
  ...{ sub: 'u-7', name: 'Alice', email: 'alice@corp.example', email_verified: true },
  address: { street_address: '1 Rabbit Hole', locality: 'Oxford' },
  ...{ phone_number: '+44 20 7946 0000', phone_number_verified: false },
  ...{ roles: ['editor'], department: 'history', salary: 1 },
}
const NOTES = 'https://notes.example/notes'
const STAFF = 'https://staff.example/staff'
const BOTH = { resources: [NOTES, STAFF] }

let server: Server
let listening: Awaited<ReturnType<Server['listen']>>
let tokenClaims: TokenClaims = () => undefined
beforeAll(async () => {
  const people = directory({ find: async () => ALICE, verifyPassword: async () => ALICE })
  const scopes = {
    ...STANDARD_SCOPES,
    address: { description: 'See your address' },
    phone: { description: 'See your phone number' },
  }
  server = await createdServer(
    {
      ...{ users: people, scopes },
      resources: {
        [NOTES]: { accessTokens: 'jwt', claims: ['roles'] },
        [STAFF]: { claims: ['roles', 'department', 'left_out'] },
      },
    },
    { definition: { tokenClaims: (request) => tokenClaims(request) } },
  )
  listening = await server.listen()
})
afterAll(async () => {
  await listening.close()
  await server.close()
})

async function signedIn(parameters: Record<string, string> = {}, resources: readonly string[] = []) {
  const { baseUrl } = server.config
  const client = { clientName: 'Portal', redirectUris: [REDIRECT_URI], resourceServer: true }
  const { clientId, clientSecret } = await server.clients.add(client)
  const execute = [oidc.allowInsecureRequests]
  const config = await oidc.discovery(new URL(baseUrl), clientId, clientSecret, undefined, { execute })
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const url = oidc.buildAuthorizationUrl(config, {
    ...{ redirect_uri: REDIRECT_URI, scope: 'openid address phone', code_challenge_method: 'S256' },
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    ...parameters,
  })
  for (const resource of resources) url.searchParams.append('resource', resource)
  const browser = formBrowser({ origin: baseUrl, typed: { email: 'alice', password: 'secret' } })
  const tokens = await oidc.authorizationCodeGrant(config, await browser(url.href), { pkceCodeVerifier })
  return { config, tokens }
}

const NONE = { roles: undefined, department: undefined, salary: undefined }

describe('openid-client', () => {
  it('reads the address, as an object, and the phone number at UserInfo, and the claims of the definition', async () => {
    tokenClaims = ({ use, scopes }) => ({ asked: `${use} ${scopes.length}` })
    const { config, tokens } = await signedIn()
    expect(config.serverMetadata().claims_supported).toEqual(
      expect.arrayContaining(['address', 'phone_number', 'phone_number_verified']),
    )
    const { address, phone_number, phone_number_verified } = ALICE
    const user = await oidc.fetchUserInfo(config, tokens.access_token, 'u-7')
    const expected = { sub: 'u-7', address, phone_number, phone_number_verified }
    expect(user).toEqual({ ...expected, asked: 'userinfo 3' })
    expect(tokens.claims()).toMatchObject({ sub: 'u-7', asked: 'id_token 3' })
  })

  it('gets the claims that the configuration has for the resource of a token, at a refresh too', async () => {
    tokenClaims = () => undefined
    const { config, tokens } = await signedIn({ resource: NOTES })
    const next = await oidc.refreshTokenGrant(config, String(tokens.refresh_token))
    for (const { access_token } of [tokens, next])
      expect({ ...NONE, ...decodeJwt(access_token) }).toMatchObject({
        ...NONE,
        aud: NOTES,
        roles: ['editor'],
      })
    expect({ ...NONE, ...tokens.claims() }).toMatchObject(NONE)
    const opaque = await signedIn({ resource: STAFF })
    const seen = await oidc.tokenIntrospection(opaque.config, opaque.tokens.access_token)
    expect({ ...NONE, ...seen }).toMatchObject({
      roles: ['editor'],
      department: 'history',
      salary: undefined,
    })
    expect(seen).not.toHaveProperty('left_out')
  })

  it('gets for a token of several resources only what each of them may see, and for one of none nothing', async () => {
    tokenClaims = () => undefined
    for (const [resources, expected] of [
      [BOTH.resources, { ...NONE, roles: ['editor'] }],
      [[], NONE],
    ] as const) {
      const { config, tokens } = await signedIn({}, resources)
      const seen = await oidc.tokenIntrospection(config, tokens.access_token)
      expect({ ...NONE, ...seen }).toMatchObject({ active: true, ...expected })
    }
  })

  it('gets the claims of the definition before those of the configuration', async () => {
    tokenClaims = () => ({ roles: ['reader'] })
    const { tokens } = await signedIn({ resource: NOTES })
    expect(decodeJwt(tokens.access_token)).toMatchObject({ roles: ['reader'] })
  })
})
