import { generateKeyPairSync, sign } from 'node:crypto'
import { type DocumentHost, openDocumentHost } from '@grantkit/test-servers/document-host'
import { type MailServer, runMailServer } from '@grantkit/test-servers/mail-server'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { MCP_CLIENTS } from './mcp-clients.ts'
import { newStorage } from './new-storage.ts'
import { type RunningService, runService } from './service.ts'
import { sessionCookie } from './user.ts'

/** Personal access tokens at the API and at the MCP server, and the mails about them. */

const scanner = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const SCANNER_KEYS = {
  public_keys: [
    { key_identifier: 'k1', key: scanner.publicKey.export({ type: 'spki', format: 'pem' }).toString() },
  ],
}

let mail: MailServer
let host: DocumentHost
let service: RunningService
beforeAll(async () => {
  mail = await runMailServer()
  host = await openDocumentHost(() => ({ body: JSON.stringify(SCANNER_KEYS) }))
  service = await runService({
    PERSONAL_TOKENS: 'on',
    PERSONAL_TOKEN_SCANNER_KEYS: 'https://scanner.dev/keys',
    ...host.settings(['scanner.dev']),
    ...mail.environment,
  })
})
afterAll(async () => {
  await service.close()
  await host.close()
  await mail.close()
})

/** Creates a personal access token by the form of its page, as a browser does. @returns its text */
async function personalToken(
  form: { scopes: readonly string[]; resources: readonly string[]; label?: string },
  { baseUrl } = service,
): Promise<string> {
  const headers = { cookie: await sessionCookie(baseUrl) }
  const page = await (await fetch(`${baseUrl}/account/tokens`, { headers })).text()
  const body = new URLSearchParams({ label: form.label ?? 'Nightly job', days: '30' })
  body.set('ticket', /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? '')
  for (const scope of form.scopes) body.append('scope', scope)
  for (const resource of form.resources) body.append('resource', resource)
  const made = await fetch(`${baseUrl}/account/tokens`, { method: 'POST', headers, body })
  return /<textarea[^>]*>(gkp_[^<]+)</.exec(await made.text())?.[1] ?? ''
}

const courses = { scopes: ['courses:read', 'courses:write'], resources: [] as string[] }
const atApi = () => ({ ...courses, resources: [service.baseUrl] })

function request(path: string, token: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return fetch(service.baseUrl + path, { headers, ...init })
}

describe('a personal access token at the API', () => {
  it('reads and writes what its scopes allow, and nothing else', async () => {
    const token = await personalToken(atApi())
    const body = JSON.stringify({ title: 'Knots', published: true })
    const statuses = await Promise.all([
      request('/api/courses', token),
      request('/api/courses', token, { method: 'POST', body }),
      request('/api/events', token, { method: 'POST', body }),
      request('/api/students', token),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([200, 201, 403, 403])
  })

  it('opens only the resource for which it was created', async () => {
    const token = await personalToken({ ...courses, resources: [`${service.baseUrl}/mcp`] })
    expect((await request('/api/courses', token)).status).toBe(401)
  })

  it('has its last use and the network on the page', async () => {
    const label = 'Watcher'
    const token = await personalToken({ ...atApi(), label })
    await request('/api/courses', token)
    const subject = (await service.accounts.idOf('demo@example.com')) ?? ''
    const stored = async () =>
      (await service.grants.list(subject)).grants.find((grant) => grant.label === label)?.network
    await expect.poll(stored).toBe('127.0.0.0/24')
  })
})

describe.each(Object.entries(MCP_CLIENTS))('the MCP client %s with the token as a header', (_, connect) => {
  it('calls a tool', async () => {
    const resource = `${service.baseUrl}/mcp`
    const token = await personalToken({ scopes: ['courses:read'], resources: [resource] })
    const client = await connect(new URL(resource), token)
    const { structuredContent } = await client.callTool({ name: 'search_courses', arguments: {} })
    expect(structuredContent, 'also what is not published').toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ published: false })]),
    })
    await client.close()
  })
})

describe('the mails about personal access tokens', () => {
  const aboutTokens = (words: string) => mail.mails.filter(({ content }) => content.includes(words))

  it('tell the user of a new one, without its text', async () => {
    const token = await personalToken({ ...atApi(), label: 'Made today' })
    await service.settled()
    const [sent, ...more] = aboutTokens('Made today')
    expect([sent, more]).toMatchObject([{ to: 'demo@example.com' }, []])
    expect(sent?.content).toContain('New personal access token')
    expect(sent?.content).toContain(`${service.baseUrl}/account/tokens`)
    expect(sent?.content).not.toContain(token)
  })

  it('tell the user what an operator revoked, and not what the user did', async () => {
    await personalToken({ ...atApi(), label: 'By the user' })
    await personalToken({ ...atApi(), label: 'By the operator' })
    const subject = (await service.accounts.idOf('demo@example.com')) ?? ''
    const { grants } = await service.grants.list(subject)
    const idOf = (label: string) => grants.find((grant) => grant.label === label)?.id ?? ''
    await service.grants.revoke(subject, idOf('By the user'), 'user')
    await service.grants.revoke(subject, idOf('By the operator'), 'operator')
    await service.settled()
    expect(aboutTokens('An operator revoked')).toHaveLength(1)
  })
})

it('the first use in the last seven days of a token tells its user, once', async () => {
  const token = await personalToken({ ...atApi(), label: 'Nearly over' })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 24 * 60 * 60 * 1000 })
  try {
    await request('/api/courses', token)
    const sent = () => mail.mails.filter(({ content }) => content.includes('Nearly over, on 20'))
    await expect.poll(sent).toHaveLength(1)
    await request('/api/courses', token)
    expect(service.events.filter(({ type }) => type === 'personal_token_expiring')).toHaveLength(1)
  } finally {
    vi.useRealTimers()
  }
})

it('a token that a secret scanner reports ends at once, and its user gets a mail', async () => {
  const token = await personalToken({ ...atApi(), label: 'In a repository' })
  const body = JSON.stringify([{ token, type: 'school_token', url: 'https://code.example/x' }])
  const headers = {
    'github-public-key-identifier': 'k1',
    'github-public-key-signature': sign('sha256', Buffer.from(body), scanner.privateKey).toString('base64'),
  }
  const report = () => fetch(`${service.baseUrl}/api/tokens/leaked`, { method: 'POST', headers, body })
  expect(await (await report()).json()).toMatchObject([{ token_raw: token, label: 'true_positive' }])
  expect((await request('/api/courses', token)).status).toBe(401)
  expect(await (await report()).json()).toEqual([])
  const sent = () => mail.mails.filter(({ content }) => content.includes('found in public'))
  await service.settled()
  expect(sent()).toHaveLength(1)
  expect(sent()[0]?.content).toContain('In a repository')
})

it('a service without the option refuses tokens from before', async () => {
  const { environment, close } = await newStorage()
  const before = await runService({ ...environment, PERSONAL_TOKENS: 'on' })
  const token = await personalToken({ ...courses, resources: [before.baseUrl] }, before)
  await before.close()
  const after = await runService({ ...environment, PORT: String(before.port) })
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${after.baseUrl}/api/courses`, { headers })).status).toBe(403)
  await after.close()
  await close()
})
