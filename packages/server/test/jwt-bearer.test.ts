import { join } from 'node:path'
import { JWT_BEARER } from '@grantkit/core/jwt-bearer'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { identityRows } from '../src/accounts/upstream/identities.ts'
import type { ServerConfig } from '../src/config/schema.ts'
import { externalSignIn } from '../src/config/users.ts'
import { DANA, THEO } from './people.ts'
import { ranCommand } from './ran-command.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { browserOf } from './signed-in-browser.ts'

/** Assertions of an identity provider and of a platform, as the configuration trusts them. */

const IDP = 'https://acme.okta.com'
const { privateKey, publicKey } = await generateKeyPair('RS256')
const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'idp-1' }] }
const TRUST = { issuer: IDP, jwks, scopes: ['notes:read'] }

type JwtBearer = NonNullable<NonNullable<ServerConfig['features']>['jwtBearer']>

async function open(jwtBearer: JwtBearer, more: Partial<ServerConfig> = {}, environment = {}) {
  const events: { readonly type: string }[] = []
  const onEvent = (event: { readonly type: string }) => void events.push(event)
  const server = await runServer(environment, { ...more, features: { jwtBearer } }, { onEvent })
  onTestFinished(() => server.close())
  return { server, events }
}

let count = 0
const signed = (claims: object, typ: string, sub: string, aud: string, issuer = IDP) =>
  new SignJWT({ ...claims, jti: `jti-${++count}` })
    .setProtectedHeader({ alg: 'RS256', kid: 'idp-1', typ })
    .setIssuer(issuer)
    .setSubject(sub)
    .setAudience(aud)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey)

async function present({ baseUrl }: RunningServer, assertion: string, client: object = {}) {
  const body = new URLSearchParams({ grant_type: JWT_BEARER, assertion, ...client })
  const answer = await fetch(`${baseUrl}/api/oauth/token`, { method: 'POST', body })
  return { status: answer.status, ...((await answer.json()) as { error?: string; scope?: string }) }
}

async function openForOrganization(trust: object = {}) {
  const { server, events } = await open({ trusts: [{ ...TRUST, ...trust }] })
  const client = await server.clients.add({
    clientName: 'Assistant',
    redirectUris: [],
    grantTypes: [JWT_BEARER],
  })
  const account = await server.accounts.find(DANA.id)
  if (account === undefined) throw new Error('Dana has no account')
  const linked = { issuer: IDP, identity: 'U1', subject: DANA.id, shownAs: 'dana', addedAt: 0 }
  await identityRows(server.database).add(linked, account)
  const { clientId: client_id, clientSecret: client_secret } = client
  const send = async (sub = 'U1') =>
    present(server, await signed({ client_id }, 'oauth-id-jag+jwt', sub, server.baseUrl), {
      client_id,
      client_secret,
    })
  return { server, events, client, send }
}

describe('a trusted identity provider', () => {
  it('gives tokens for users who have linked an account, and for nobody else', async () => {
    const { server, events, send } = await openForOrganization()
    expect(await send()).toMatchObject({ status: 200, scope: 'notes:read' })
    expect((await server.grants.list(DANA.id)).grants[0]?.authority).toEqual({ issuer: IDP, subject: 'U1' })
    expect(events).toContainEqual(expect.objectContaining({ type: 'assertion_exchanged', subject: DANA.id }))
    expect(await send('U2')).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'assertion_refused', reason: 'jwt_grant_subject' }),
    )
  })

  it('gives no tokens for a user who is disabled', async () => {
    const { server, send } = await openForOrganization()
    await server.accounts.setDisabled(DANA.id, true)
    expect(await send()).toMatchObject({ status: 400, error: 'invalid_grant' })
    await server.accounts.setDisabled(DANA.id, false)
    expect((await send()).status).toBe(200)
  })

  it('has its apps on the account page of the user, who can end them', async () => {
    const { server, send } = await openForOrganization()
    await send()
    const browse = await browserOf(server, 'demo')
    const page = await browse('/account')
    expect(page.text).toContain(`Allowed by ${IDP}`)
    const [ticket = '', installation = ''] = ['ticket', 'installation'].map(
      (name) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page.html)?.[1] ?? '',
    )
    await browse('/account', {}, { ticket, installation })
    expect((await server.grants.list(DANA.id)).grants).toEqual([])
  })

  it('ends at the command `grants end`, although its trust is gone: one user, or all', async () => {
    const { server, send } = await openForOrganization()
    const { config } = server
    const features = { ...config.features, jwtBearer: { trusts: [], workloads: [] } }
    const end = (...options: string[]) =>
      ranCommand({ config: { ...config, features } }, ['grants', 'end', '--issuer', ...options])
    const left = async () => (await server.grants.list(DANA.id)).grants.length
    for (const _ of ['once', 'again']) await send()
    for (const others of [['https://other.example'], [IDP, '--subject', 'U2']])
      expect((await end(...others)).output).toBe('0 grants have ended.')
    expect(await left()).toBe(2)
    expect((await end(IDP, '--subject', 'U1')).output).toBe('2 grants have ended.')
    await send()
    expect([(await end(IDP)).output, await left()]).toEqual(['1 grant has ended.', 0])
  })

  it('needs the accounts of the server', async () => {
    const users = externalSignIn({ url: 'https://app.example/sign-in', keys: jwks })
    await expect(open({ trusts: [TRUST] }, { users })).rejects.toThrow(/needs the accounts of the server/)
  })

  it.each<[string, object, RegExp]>([
    ['plain http', { issuer: 'http://acme.okta.com' }, /https/],
    ['a misspelt member', { scope: ['notes:read'] }, /scope/],
  ])('with %s stops the start', async (_, trust, message) => {
    await expect(open({ trusts: [{ ...TRUST, ...trust }] })).rejects.toThrow(message)
  })
})

describe('an address of an ID-JAG', () => {
  const EMAIL = { email: 'Theo@Example.com', email_verified: true }
  const LINKS = { linkByEmail: { domains: ['example.com'] } }

  /** Theo has no linked identity. */
  async function openForTheo(trust: object = LINKS) {
    const { server, events, client } = await openForOrganization(trust)
    const { clientId: client_id, clientSecret: client_secret } = client
    await server.accounts.add({ ...THEO, id: 'theo', email: 'theo@example.com' })
    const send = async (claims: object = EMAIL, sub = 'U7') => {
      const { baseUrl } = server
      const assertion = await signed({ client_id, ...claims }, 'oauth-id-jag+jwt', sub, baseUrl)
      return present(server, assertion, { client_id, client_secret })
    }
    const links = () => identityRows(server.database).list('theo')
    return { server, events, send, links }
  }

  it('links the account with the same verified address once, and then only the link counts', async () => {
    const { server, events, send, links } = await openForTheo()
    expect(await send()).toMatchObject({ status: 200 })
    expect(await links()).toMatchObject([{ issuer: IDP, identity: 'U7', shownAs: 'Theo@Example.com' }])
    expect(await send({ ...EMAIL, email: DANA.email })).toMatchObject({ status: 200 })
    expect((await server.grants.list('theo')).grants).toHaveLength(2)
    const linked = events.filter(({ type }) => type === 'identity_linked')
    expect(linked).toEqual([{ type: 'identity_linked', subject: 'theo', issuer: IDP }])
  })

  it.each<[string, object, object]>([
    ['no trust links by address', {}, EMAIL],
    ['another domain is listed', { linkByEmail: { domains: ['example.org'] } }, EMAIL],
    ['the issuer has not verified it', LINKS, { ...EMAIL, email_verified: false }],
    ['nobody says that it is verified', LINKS, { email: EMAIL.email }],
    ['no account has it', LINKS, { ...EMAIL, email: 'nobody@example.com' }],
  ])('links nothing if %s', async (_, trust, claims) => {
    const { send, links } = await openForTheo(trust)
    expect(await send(claims)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await links()).toEqual([])
  })

  it('links no second person of the issuer to an account that has one', async () => {
    const { send, links } = await openForTheo()
    expect(await send()).toMatchObject({ status: 200 })
    expect(await send(EMAIL, 'U8')).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await links()).toMatchObject([{ identity: 'U7' }])
  })

  it('links no address that only looks like that of an account', async () => {
    const { server, send } = await openForTheo()
    await server.accounts.add({ ...THEO, id: 'kim', email: 'kim@example.com' })
    expect(await send({ ...EMAIL, email: '\u212aim@example.com' })).toMatchObject({ error: 'invalid_grant' })
    expect(await identityRows(server.database).list('kim')).toEqual([])
  })

  it('links without the claim if the trust says that all addresses of the issuer are verified', async () => {
    const { send } = await openForTheo({ ...LINKS, emailsVerified: true })
    expect(await send({ email: EMAIL.email })).toMatchObject({ status: 200 })
  })

  it.each(['admin', 'disabled', 'unverified', 'verified by another provider'] as const)(
    'never links an account that is %s',
    async (what) => {
      const { server, send } = await openForTheo()
      const { accounts } = server
      if (what === 'admin') await accounts.setAdmin('theo', true)
      if (what === 'disabled') await accounts.setDisabled('theo', true)
      const email = 'other@example.com'
      const other = { ...THEO, id: 'other', email }
      if (what === 'unverified') await accounts.add({ ...other, email_verified: false })
      else await accounts.add(other, { emailSource: 'https://other.example' })
      const address = what === 'admin' || what === 'disabled' ? EMAIL.email : email
      expect(await send({ ...EMAIL, email: address })).toMatchObject({ error: 'invalid_grant' })
      for (const id of ['theo', 'other']) expect(await identityRows(server.database).list(id)).toEqual([])
    },
  )
})

describe('a rule for workloads', () => {
  it('gives tokens to the program of the client that it names', async () => {
    const rule = {
      issuer: IDP,
      jwks,
      claims: { project_id: '20' },
      scopes: ['notes:read'],
      client: 'to be added',
    }
    const environment = { DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'server.sqlite')}` }
    const before = await open({ workloads: [rule] }, {}, environment)
    const sign = () => signed({ project_id: '20' }, 'JWT', 'project_path:g/p', before.server.baseUrl)
    expect(await present(before.server, await sign())).toMatchObject({ status: 401 })
    const { clientId } = await before.server.clients.add({
      ...{ clientName: 'Deployment', redirectUris: [], grantTypes: [JWT_BEARER] },
      tokenEndpointAuthMethod: 'none',
    })
    const audiences = [before.server.baseUrl]
    const { server } = await open({ workloads: [{ ...rule, client: clientId, audiences }] }, {}, environment)
    expect(await present(server, await sign())).toMatchObject({ status: 200, scope: 'notes:read' })
  })
})
