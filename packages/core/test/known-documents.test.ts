import type { KnownDocument } from '@grantkit/core/client-documents'
import { type KnownClientsOptions, knownClients } from '@grantkit/known-clients'
import { describe, expect, it } from 'vitest'
import { authorizationQuery, authorize, decide, redeem, redirectOf } from './client.ts'
import { type DocumentHost, fault, openWithDocuments } from './document-host.ts'
import type { Service } from './service.ts'

/** Known clients that come by their documents, whose hosts may show a bot wall in place of them. */

const ID = 'https://claude.ai/oauth/mcp-oauth-client-metadata'
const CALLBACK = 'https://claude.ai/api/mcp/auth_callback'
const known = (options: KnownClientsOptions = {}) => knownClients({ only: ['claude', 'chatgpt'], ...options })
const [{ copy } = {} as KnownDocument] = known().knownDocuments
const DOCUMENT = copy?.members ?? {}
const SEEN = copy?.seen ?? 0
const WALL = {
  status: 403,
  headers: { 'content-type': 'text/html' },
  document: '<title>Just a moment...</title>',
}
const DAY = 24 * 60 * 60

function open(answer: DocumentHost['answer'], options: KnownClientsOptions = {}, more: object = {}) {
  const { service, host } = openWithDocuments({ ...known(options), ...more })
  host.answer = answer
  return { service, host }
}

const ask = (service: Service, redirect_uri = CALLBACK, id = ID) =>
  authorize(service, authorizationQuery(id, { redirect_uri }))

async function outcome(service: Service, redirect_uri?: string, id?: string) {
  Object.assign(service.shown, { error: undefined })
  const { body } = await ask(service, redirect_uri, id)
  return service.shown.error?.reason ?? body
}

async function signIn(service: Service) {
  expect((await ask(service)).body).toBe('consent')
  const { code = '' } = redirectOf(await decide(service))
  const answer = await redeem(service, { clientId: ID }, code, { redirect_uri: CALLBACK })
  expect(answer.status).toBe(200)
}

const copiesUsed = (service: Service) =>
  (service.events as { type: string }[]).filter(({ type }) => type === 'client_document_copy_used')

describe('the document of a known client', () => {
  it('allows its https callback, and shows its host and the known name as the identity', async () => {
    const { service } = open({ document: DOCUMENT })
    await signIn(service)
    expect(service.shown.consent?.identity).toEqual({
      host: 'claude.ai',
      loopback: false,
      known: { name: 'Claude', host: 'claude.ai' },
    })
    expect(await service.server.clients.find(ID)).toMatchObject({ knownClient: 'claude' })
  })

  it.each([
    ['that the entry has not', 'https://claude.ai/api/mcp/new_callback'],
    ['of another known client', 'https://chatgpt.com/connector_platform_oauth_redirect'],
  ])('allows no callback %s', async (_, uri) => {
    const { service } = open({ document: { ...DOCUMENT, redirect_uris: [CALLBACK, uri] } })
    expect(await outcome(service, uri)).toBe('redirect_uri_not_accepted')
    expect(await outcome(service)).toBe('consent')
  })

  it('allows a loopback address too, which belongs to no known client', async () => {
    const uri = 'http://127.0.0.1/callback'
    const { service } = open({ document: { ...DOCUMENT, redirect_uris: [CALLBACK, uri] } })
    expect(await outcome(service, uri)).toBe('consent')
    expect(service.shown.consent?.identity).toMatchObject({ host: 'claude.ai', loopback: true })
    expect(service.shown.consent?.identity).not.toHaveProperty('known')
  })

  it('allows no callback of the entry that the document lacks', async () => {
    const { service } = open({ document: DOCUMENT })
    expect(await outcome(service, 'https://claude.com/api/mcp/auth_callback')).toBe(
      'redirect_uri_not_registered',
    )
  })

  it('allows no callback if the entry is off', async () => {
    const { service } = open({ document: DOCUMENT }, { only: ['chatgpt'] })
    expect(await outcome(service)).toBe('known_client_off')
  })

  it('of another host allows no callback of a known client', async () => {
    const id = 'https://evil.dev/client.json'
    const { service } = open({ document: { ...DOCUMENT, client_id: id } })
    expect(await outcome(service, CALLBACK, id)).toBe('redirect_uri_not_accepted')
  })

  it('with a part for each server is admitted by no pattern', async () => {
    const id = 'https://chatgpt.com/oauth/abc123/client.json'
    const uri = 'https://chatgpt.com/connector/oauth/abc123'
    const { service } = open({ document: { ...DOCUMENT, client_id: id, redirect_uris: [uri] } })
    expect(await outcome(service, uri, id)).toBe('redirect_uri_not_accepted')
  })
})

describe('the copy of the document of a known client', () => {
  it.each<[string, DocumentHost['answer']]>([
    ['a bot wall', WALL],
    ['429', { status: 429 }],
    ['500', { status: 500 }],
    ['503', { status: 503 }],
    ['a redirect', { status: 302, headers: { location: 'https://claude.ai/login' } }],
    ['a page in place of JSON', { headers: { 'content-type': 'text/html' }, document: '<html>' }],
  ])('serves while the host answers with %s', async (_, answer) => {
    await signIn(open(answer).service)
  })

  it.each<[string, DocumentHost['answer'], string]>([
    ['404', { status: 404 }, 'document_invalid'],
    ['410', { status: 410 }, 'document_invalid'],
    ['an invalid document', { document: { ...DOCUMENT, redirect_uris: [] } }, 'document_invalid'],
    ['400', { status: 400 }, 'document_unreachable'],
    ['nothing', fault('connect'), 'document_unreachable'],
    [
      'another document',
      { document: { ...DOCUMENT, redirect_uris: ['https://claude.ai/x'] } },
      'redirect_uri_not_registered',
    ],
  ])('does not serve where the host answers with %s', async (_, answer, reason) => {
    expect(await outcome(open(answer).service)).toBe(reason)
  })

  it.each<[string, DocumentHost['answer']]>([
    ['gone', { status: 404 }],
    ['another one', { document: { ...DOCUMENT, client_name: 'Claude 2' } }],
  ])('never serves after the document was %s, although a bot wall came later', async (_, answer) => {
    const { service, host } = open(answer)
    await ask(service)
    service.clock.now += 2 * 60 * 60
    host.answer = WALL
    expect(await outcome(service)).toBe('document_unreachable')
  })

  it('never serves after another document was approved, in another process either', async () => {
    const first = open({ document: { ...DOCUMENT, client_name: 'Claude 2' } })
    await signIn(first.service)
    const { service } = open(WALL, {}, { store: first.service.store })
    service.clock.now += 8 * DAY
    expect(await outcome(service)).toBe('document_unreachable')
  })

  it('serves where an older copy of the table was approved before', async () => {
    const [document] = known({ only: ['claude'] }).knownDocuments
    const knownDocuments = [
      { ...document, copy: { members: { ...DOCUMENT, client_name: 'Claude 0' }, seen: SEEN - DAY } },
    ]
    const first = open(WALL, {}, { knownDocuments })
    await signIn(first.service)
    const { service } = open(WALL, {}, { store: first.service.store })
    await signIn(service)
    expect(service.shown.consent?.client.clientName).toBe('Claude')
  })

  it('is used until the next attempt to fetch, and replaced by the document', async () => {
    const { service, host } = open(WALL)
    await signIn(service)
    await signIn(service)
    expect(host.requests, 'no attempt for each of them').toHaveLength(1)
    service.clock.now += 10
    host.answer = { document: { ...DOCUMENT, client_name: 'Claude 2' } }
    await signIn(service)
    expect(service.shown.consent?.client.clientName).toBe('Claude 2')
  })

  it('is logged with its age', async () => {
    const { service } = open(WALL)
    await ask(service)
    const age = service.clock.now - SEEN
    expect(copiesUsed(service)).toEqual([
      { type: 'client_document_copy_used', clientId: ID, known: 'claude', age },
    ])
  })

  it('does not serve with `fetch`', async () => {
    expect(await outcome(open(WALL, { documents: 'fetch' }).service)).toBe('document_unreachable')
  })

  it('serves alone with `copy`, and nothing is fetched', async () => {
    const { service, host } = open(WALL, { documents: 'copy' })
    await signIn(service)
    expect(host.requests).toEqual([])
  })

  it('serves next to documents that the operator pins, and a policy of the operator for others', async () => {
    const own = 'https://editor.dev/client.json'
    const members = { client_id: own, client_name: 'Editor', redirect_uris: ['http://127.0.0.1/callback'] }
    const operator = { pinned: [members], admit: () => 'no' as const }
    for (const documents of ['copy', 'fetch-then-copy'] as const) {
      const { service } = open(WALL, { documents }, operator)
      await signIn(service)
      expect(await outcome(service, 'http://127.0.0.1/callback', own)).toBe('consent')
      expect(await outcome(service, CALLBACK, 'https://evil.dev/client.json')).toBe('client_unknown')
    }
  })

  it('is there for known clients alone', async () => {
    const { service } = open(WALL)
    expect(await outcome(service, 'http://127.0.0.1/callback', 'https://editor.dev/client.json')).toBe(
      'document_unreachable',
    )
  })
})
