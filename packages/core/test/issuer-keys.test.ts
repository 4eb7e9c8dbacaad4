import { describe, expect, it } from 'vitest'
import {
  documentHost,
  IDP,
  idJag,
  idpKey,
  jwksOf,
  openForOrganization,
  openForWorkloads,
  platformKey,
  present,
  signed,
  TRUST,
} from './assertions.ts'
import { ISSUER } from './service.ts'
import { newKey } from './signed-assertions.ts'

/** How the keys of trusted issuers are found, kept and lost. */

const JWKS = `${IDP}/keys`
const DISCOVERY = `${IDP}/.well-known/openid-configuration`
const second = { ...(await newKey('RS256')), kid: 'idp-2' }

async function open(documents: Record<string, object>, trust: object = { jwksUri: JWKS }) {
  const { host, fetch } = documentHost(documents)
  const opened = await openForOrganization({ trusts: [{ ...TRUST, jwks: undefined, ...trust }], fetch })
  const { service, assistant } = opened
  const send = async (key = idpKey, claims = {}) => {
    const { status, reason, headers } = await present(
      service,
      await idJag(service, assistant, { key, claims }),
      assistant,
    )
    return { status, reason, retryAfter: headers['retry-after'] }
  }
  return { ...opened, host, send }
}

const faultsOf = ({ events }: { readonly events: readonly { readonly type: string }[] }) =>
  events.flatMap((event) => (event.type === 'client_keys_failed' && 'fault' in event ? [event.fault] : []))

const urlsOf = (host: { requests: readonly { readonly url: string }[] }) =>
  host.requests.map(({ url }) => url)

describe('the keys of an issuer', () => {
  it('are fetched from its jwksUri once, for many requests, with limits', async () => {
    const { host, send } = await open({ [JWKS]: jwksOf(idpKey) })
    await Promise.all(Array.from({ length: 5 }, () => send()))
    expect((await send()).status).toBe(200)
    expect(host.requests).toEqual([
      expect.objectContaining({ url: JWKS, maxBytes: 65_536, headers: {}, signal: expect.any(AbortSignal) }),
    ])
  })

  it('are found by discovery, and only if the document is of exactly this issuer', async () => {
    const documents = { [DISCOVERY]: { issuer: IDP, jwks_uri: JWKS }, [JWKS]: jwksOf(idpKey) }
    const { host, send } = await open(documents, {})
    expect((await send()).status).toBe(200)
    expect(urlsOf(host)).toEqual([DISCOVERY, JWKS])
    for (const issuer of [`${IDP}/`, 'https://evil.example', undefined]) {
      const wrong = await open({ ...documents, [DISCOVERY]: { issuer, jwks_uri: JWKS } }, {})
      expect(await wrong.send()).toMatchObject({ status: 503, reason: 'jwt_grant_keys_unreachable' })
      expect(urlsOf(wrong.host)).toEqual([DISCOVERY])
      expect(faultsOf(wrong.service)).toEqual(['discovery: another issuer'])
    }
    const missing = await open({}, {})
    expect((await missing.send()).status).toBe(503)
    expect(faultsOf(missing.service)).toEqual(['discovery: status 404'])
  })

  it('are found by discovery of an issuer that ends in a slash', async () => {
    const documents = { [DISCOVERY]: { issuer: `${IDP}/`, jwks_uri: JWKS }, [JWKS]: jwksOf(idpKey) }
    const { send } = await open(documents, { issuer: `${IDP}/` })
    expect((await send(idpKey, { iss: `${IDP}/` })).status).toBe(200)
    expect((await send()).reason).toBe('jwt_grant_issuer')
  })

  it('are never fetched without TLS', async () => {
    const documents = { [DISCOVERY]: { issuer: IDP, jwks_uri: 'http://acme.okta.com/keys' } }
    const { host, send, service } = await open(documents, {})
    expect((await send()).status).toBe(503)
    expect(urlsOf(host)).toEqual([DISCOVERY])
    expect(faultsOf(service)).toEqual(['discovery: jwks_uri is not https'])
    await expect(open({}, { jwksUri: 'http://acme.okta.com/keys' })).rejects.toThrow(/https/)
    await expect(open({}, { issuer: 'http://acme.okta.com' })).rejects.toThrow(/https/)
  })

  it('are not taken from more than 64 KB, nor from what is no key set', async () => {
    const large = { ...jwksOf(idpKey), more: 'x'.repeat(65_536) }
    for (const document of [large, { keys: 'none' }, {}]) {
      const { send, service } = await open({ [JWKS]: document })
      expect(await send()).toMatchObject({ status: 503, reason: 'jwt_grant_keys_unreachable' })
      expect(service.events).toContainEqual(
        expect.objectContaining({ type: 'client_keys_failed', jwksUri: JWKS }),
      )
    }
  })

  it('that are new are found at once, but unknown ones cause at most one fetch a minute', async () => {
    const { service, host, send } = await open({ [JWKS]: jwksOf(idpKey) })
    await send()
    host.documents[JWKS] = jwksOf(idpKey, second)
    expect((await send(second)).reason, 'within the first minute').toBe('jwt_grant_signature')
    service.clock.now += 61
    expect((await send(second)).status).toBe(200)
    for (let time = 0; time < 20; time++) {
      service.clock.now++
      expect((await send({ ...second, kid: `random-${time}` })).reason).toBe('jwt_grant_signature')
    }
    expect(host.requests).toHaveLength(2)
    service.clock.now += 61
    expect((await send({ ...second, kid: 'unknown' })).reason).toBe('jwt_grant_signature')
    expect(host.requests).toHaveLength(3)
  })

  it('that the issuer has removed are refused after the next fetch', async () => {
    const { service, host, send } = await open({ [JWKS]: jwksOf(idpKey) })
    await send()
    host.documents[JWKS] = jwksOf(second)
    service.clock.now += 301
    expect((await send()).reason).toBe('jwt_grant_signature')
    expect((await send(second)).status).toBe(200)
  })

  it('serve for an hour while the issuer is down; then the answer is a 503, never invalid_grant', async () => {
    const { service, host, send } = await open({ [JWKS]: jwksOf(idpKey) })
    await send()
    host.down = true
    service.clock.now += 3599
    expect((await send()).status).toBe(200)
    service.clock.now += 1
    const answer = await send()
    expect(answer).toMatchObject({ status: 503, reason: 'jwt_grant_keys_unreachable' })
    expect(Number(answer.retryAfter)).toBeGreaterThan(1)
    expect(faultsOf(service)).toContain('connect')
    expect(service.events.map(({ type }) => type)).not.toContain('assertion_refused')
  })

  it('of forty organizations of one vendor are fetched for all of them, and a removed key is noticed', async () => {
    const issuers = Array.from({ length: 40 }, (_, tenant) => `https://org${tenant}.okta.com`)
    const trusts = issuers.map((issuer) => ({ ...TRUST, issuer, jwks: undefined, jwksUri: `${issuer}/keys` }))
    const { host, fetch } = documentHost(
      Object.fromEntries(trusts.map(({ jwksUri }) => [jwksUri, jwksOf(idpKey)])),
    )
    const { service, assistant } = await openForOrganization({ trusts, fetch })
    const sent = async (iss: string) =>
      (await present(service, await idJag(service, assistant, { claims: { iss } }), assistant)).reason
    const accepted = async () =>
      (await Promise.all(issuers.map(sent))).filter((reason) => reason === undefined)
    expect(await accepted()).toHaveLength(40)
    for (const { jwksUri } of trusts) host.documents[jwksUri] = jwksOf(second)
    service.clock.now += 301
    expect(await accepted()).toEqual([])
  })

  it('of a busy issuer are fetched again before they are old, and no request waits for that', async () => {
    const { service, host, send } = await open({ [JWKS]: jwksOf(idpKey) })
    await send()
    service.clock.now += 200
    host.silent = true
    expect((await send()).status).toBe(200)
    expect((await send()).status).toBe(200)
    expect(host.requests).toHaveLength(2)
  })

  it('of one unreachable issuer do not matter for another one', async () => {
    const { host, fetch } = documentHost({})
    const trusts = [TRUST, { ...TRUST, issuer: 'https://down.example', jwks: undefined }]
    const { service, assistant } = await openForOrganization({ trusts, fetch })
    const down = await idJag(service, assistant, { claims: { iss: 'https://down.example' } })
    expect((await present(service, down, assistant)).status).toBe(503)
    expect((await present(service, await idJag(service, assistant), assistant)).status).toBe(200)
    expect(host.requests).toHaveLength(1)
  })

  it('of a SPIFFE bundle are fetched, and other uses are not accepted elsewhere', async () => {
    const bundle = 'https://spire.example/bundle'
    const keys = jwksOf(platformKey).keys.map((key) => ({ ...key, use: 'jwt-svid' }))
    const { fetch } = documentHost({ [bundle]: { keys, spiffe_sequence: 1 } })
    const spiffe = {
      issuer: undefined,
      trustDomain: 'prod.example',
      jwks: undefined,
      jwksUri: bundle,
      replay: 'window' as const,
    }
    const { service } = await openForWorkloads(
      { ...spiffe, claims: { sub: 'spiffe://prod.example/job' } },
      { fetch },
    )
    const claims = { sub: 'spiffe://prod.example/job', aud: ISSUER, exp: service.clock.now + 300 }
    expect((await present(service, await signed(platformKey, claims))).status).toBe(200)
    const other = await openForWorkloads({ jwks: undefined, jwksUri: bundle }, { fetch })
    const usual = {
      iss: 'https://ci.example.com',
      jti: 'a',
      aud: ISSUER,
      sub: 'deploy:main',
      exp: other.service.clock.now + 300,
    }
    expect((await present(other.service, await signed(platformKey, usual))).reason).toBe(
      'jwt_grant_signature',
    )
    const missing = await openForWorkloads(
      { ...spiffe, claims: { team: 'a' } },
      { fetch: documentHost({}).fetch },
    )
    await present(missing.service, await signed(platformKey, { ...claims, team: 'a' }))
    expect(faultsOf(missing.service)).toEqual(['status 404'])
  })
})
