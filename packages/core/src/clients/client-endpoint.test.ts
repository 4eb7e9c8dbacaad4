import { describe, expect, it } from 'vitest'
import type { Parameters } from '../http/message.ts'
import type { Report } from '../kernel/events.ts'
import type { Client } from '../kernel/records.ts'
import { type ClientEndpoint, clientEndpoint } from './client-endpoint.ts'

const ENDPOINT: ClientEndpoint = {
  path: '/status',
  begin: () => (client) => ({ status: 200, headers: {}, body: client.clientId }),
}

/** What a request names by its credentials: the method, and the client. */
interface Named {
  readonly method: string
  readonly clientId?: string
}

/** Sends a form to an endpoint, and records the forms whose credentials are read, and what the observer gets. */
async function sent(endpoint: ClientEndpoint, form: Record<string, string>, named: Named) {
  const seen = { read: [] as Parameters[], reports: [] as Report[] }
  const context = {
    readProof(_: object, read: Parameters) {
      seen.read.push({ ...read })
      const clientId = named.clientId ?? (read.client_id as string | undefined)
      return { method: named.method, proof: { clientId, verify: () => true } }
    },
    clients: {
      find: async (clientId: string) => ({ clientId, tokenEndpointAuthMethod: 'none' }) as Client | undefined,
      describedBy: () => undefined,
    },
    limiter: { take: async () => 0 },
    now: () => 1_800_000_000,
    observer: { report: (report: Report) => void seen.reports.push(report) },
  }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const request = {
    method: 'POST',
    path: '/status',
    query: '',
    headers,
    body: `${new URLSearchParams(form)}`,
  }
  const answer = async () => clientEndpoint(endpoint, context as never).answer(request)
  const result = await answer().then(
    ({ body }) => body,
    ({ reason }) => reason,
  )
  return { result, ...seen }
}

describe('an endpoint for clients', () => {
  it.each([
    [undefined, 'all'],
    [false, 'all'],
    [true, 'confidential'],
  ])('says which clients may use it: confidential %s, %s', (confidential, clients) => {
    expect(clientEndpoint({ ...ENDPOINT, confidential }, {} as never)).toMatchObject({ clients })
  })

  it.each([
    ['a request that names its client', { client_id: 'app' }, 'none', [{ client_id: 'app' }], 'app'],
    [
      'a request without credentials',
      { code: 'x' },
      'none',
      [{ code: 'x' }, { code: 'x', client_id: 'of x' }],
      'of x',
    ],
    ['a form that reveals none', {}, 'none', [{}], 'client_not_identified'],
    ['a request by another method', { code: 'x' }, 'unsupported', [{ code: 'x' }], 'client_not_identified'],
  ])(
    'takes the client from the form only if nothing else names it: %s',
    async (_, form, method, read, result) => {
      const clientOf = ({ code }: Parameters) =>
        code === undefined ? undefined : Promise.resolve(`of ${code}`)
      expect(await sent({ ...ENDPOINT, clientOf }, form, { method })).toMatchObject({ read, result })
    },
  )

  it.each([
    ['by its credentials', {}, 'app', 'app'],
    ['by its form', { client_id: 'app' }, undefined, 'app'],
    ['by both, of which the credentials count', { client_id: 'other' }, 'app', 'app'],
    ['not at all', {}, undefined, undefined],
  ])('reports a refused request with its client, which is named %s', async (_, form, clientId, id) => {
    const { reports } = await sent({ ...ENDPOINT, confidential: true }, form, {
      method: 'none',
      ...(clientId && { clientId }),
    })
    expect(reports).toMatchObject([{ fact: 'client_refused', parameters: { client_id: id } }])
  })
})
