import {
  type AuthorizationServerOptions,
  createAuthorizationServer,
  type HttpResponse,
  loopbackOnly,
} from '@grantkit/core'
import { KNOWN_CLIENTS, knownClients } from '@grantkit/known-clients'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import type { SendProbe } from './diagnose.ts'
import type { Probe } from './evidence.ts'
import { examineKnownClient } from './examine-known-client.ts'

const ISSUER = 'https://server.example'
const CURSOR = [
  ...(KNOWN_CLIENTS.find(({ id }) => id === 'cursor')?.redirectUris ?? []),
  'http://localhost:8787/callback',
]
const page = (body: string): HttpResponse => ({ status: 200, headers: {}, body })

function serverWith(options: Partial<AuthorizationServerOptions<string>>): SendProbe {
  const { routes } = createAuthorizationServer({
    issuer: ISSUER,
    store: createMemoryStore(),
    scopes: { 'notes:read': { description: 'Read notes' } },
    secret: 'a secret of the tests, long enough to pass',
    interaction: {
      session: async () => undefined,
      signIn: () => page('sign in'),
      consentPage: () => page('consent'),
      errorPage: ({ status }) => ({ ...page('error'), status }),
    },
    ...options,
  })
  return async ({ method, url, headers = {}, body = '' }) => {
    const { pathname: path, search } = new URL(url)
    const route = routes.find((one) => one.path === path)
    if (route === undefined) throw new Error(`No answer from ${url}`)
    return route.handle({ method, path, query: search.slice(1), headers, body })
  }
}

async function verdictsOf(send: SendProbe, client = 'cursor', register = true) {
  const findings = await examineKnownClient(client, ISSUER, send, { register })
  return Object.fromEntries(findings.map(({ id, verdict, seen }) => [id, seen ?? verdict]))
}

describe('the examination of a known client', () => {
  it('finds that it could sign in where the operator allows it', async () => {
    const allowed = serverWith(knownClients({ only: ['cursor'] }))
    expect(new Set(Object.values(await verdictsOf(allowed)))).toEqual(new Set(['passed']))
  })

  it('registers all its redirect URIs, and sends the user to each', async () => {
    const allowed = serverWith(knownClients({ only: ['cursor'] }))
    const sent: Probe[] = []
    await verdictsOf((probe) => {
      sent.push(probe)
      return allowed(probe)
    })
    expect(sent.flatMap(({ body }) => (body ? [JSON.parse(body).redirect_uris] : []))).toEqual([CURSOR])
    expect(sent.flatMap(({ url }) => new URL(url).searchParams.getAll('redirect_uri'))).toEqual(CURSOR)
  })

  it.each(CURSOR)('finds that the user cannot come back to %s', async (redirectUri) => {
    const allowed = serverWith(knownClients({ only: ['cursor'] }))
    const blocked: SendProbe = async (probe) => {
      const answer = await allowed(probe)
      const isBlocked = new URL(probe.url).searchParams.get('redirect_uri') === redirectUri
      return isBlocked ? { ...answer, status: 403 } : answer
    }
    expect(await verdictsOf(blocked)).toMatchObject({
      'client-authorization': `${redirectUri}: the answer was 403`,
    })
  })

  it('names a private-use scheme that belongs to no domain', async () => {
    const noteOf = async (only: string) => {
      const send = serverWith(knownClients({ only: [only] }))
      const findings = await examineKnownClient(only, ISSUER, send)
      return findings.find(({ id }) => id === 'client-registration')?.note
    }
    expect(await noteOf('cursor')).toContain('; cursor: has no period (RFC 8252 7.1), so ')
    expect(await noteOf('raycast')).toContain('; raycast: has no period (RFC 8252 7.1), so ')
    expect(await noteOf('claude')).not.toContain('period')
  })

  it('finds that the operator has not allowed it', async () => {
    const redirectUriPolicy = loopbackOnly({ mixed: 'refuse' })
    expect(await verdictsOf(serverWith({ redirectUriPolicy }))).toMatchObject({
      'way-in': 'passed',
      'client-registration': expect.stringMatching(/^the answer was 400 invalid_redirect_uri: /),
      'client-authorization': 'skipped',
    })
  })

  it('finds the redirect URIs that a server leaves out', async () => {
    expect(await verdictsOf(serverWith({}))).toMatchObject({
      'client-registration': `it was registered without ${CURSOR.slice(0, 2).join(' ')}`,
      'client-authorization': 'passed',
    })
  })

  it('finds that a server has no registration, or no method without a secret', async () => {
    const registration = false
    expect(await verdictsOf(serverWith({ registration }))).toMatchObject({
      'way-in': 'the operator adds each client',
    })
    const clientAuthentication = ['client_secret_post'] as const
    expect(await verdictsOf(serverWith({ clientAuthentication }))).toMatchObject({
      'client-needs': 'the method none is not offered, and it has no secret',
    })
  })

  it('finds an answer without iss for a client that then has another redirect URI', async () => {
    const send = serverWith({})
    const silent: SendProbe = async (probe) => {
      const answer = await send(probe)
      return { ...answer, body: answer.body.replace('"authorization_response_iss', '"x') }
    }
    const seen = (client: string) => verdictsOf(silent, client).then((verdicts) => verdicts['client-needs'])
    expect(await seen('chatgpt')).toContain('iss is not promised')
    expect(await seen('cursor')).toBe('passed')
  })

  it('registers nothing if it must not', async () => {
    expect(await verdictsOf(serverWith({}), 'cursor', false)).toMatchObject({
      'client-registration': 'skipped',
    })
  })

  it('lists the known clients where it knows no client of this name', async () => {
    await expect(verdictsOf(serverWith({}), 'cursr')).rejects.toThrow(
      /^"cursr" is neither the address of a client's document nor a known client: .*cursor/,
    )
  })
})
