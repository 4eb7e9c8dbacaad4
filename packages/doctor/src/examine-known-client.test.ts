import {
  type AuthorizationServerOptions,
  createAuthorizationServer,
  type HttpResponse,
  type RedirectUriPolicy,
} from '@grantkit/core'
import { KNOWN_CLIENTS, knownClients } from '@grantkit/core/known-clients'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import type { SendProbe } from './diagnose.ts'
import { examineKnownClient } from './examine-known-client.ts'

const ISSUER = 'https://server.example'
const CURSOR = KNOWN_CLIENTS.find(({ id }) => id === 'cursor')?.redirectUris ?? []
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

  it('finds that the operator has not allowed it', async () => {
    expect(await verdictsOf(serverWith({}))).toMatchObject({
      'way-in': 'passed',
      'client-registration': expect.stringMatching(/^the answer was 400 invalid_redirect_uri: /),
      'client-authorization': 'skipped',
    })
  })

  it('finds the redirect URIs that a server leaves out', async () => {
    const redirectUriPolicy: RedirectUriPolicy = (uris) => ({ accepted: uris.slice(0, 1) })
    expect(await verdictsOf(serverWith({ redirectUriPolicy }))).toMatchObject({
      'client-registration': `it was registered without ${CURSOR.slice(1).join(' ')}`,
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
