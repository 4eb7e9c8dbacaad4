import { testClient } from '@grantkit/testkit/client'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { documentOf, type HostAnswer, openDocumentHost } from '../document-host.ts'
import { CHALLENGE, REDIRECT_URI, textOf } from './app.ts'
import type { Bench, Person } from './bench.ts'
import { onTheService } from './on-both-stores.ts'
import { expectGuardedPage, expectInvalidClient, expectPage } from './safe-answers.ts'
import type { Answer } from './wire.ts'

/** Malicious document hosts, and users who abuse a host. Each domain and each user has a limit. */

const KNOWN = 'https://known.dev/client.json'
const END_OF_KNOWN = `,"client_id":"${KNOWN}"}`
const WAYWARD = Array.from({ length: 14 }, (_, n) => `wayward${n}.dev`)
const FLEET = Array.from({ length: 7 }, (_, n) => `n${n}.fleet.dev`)
const HOARD = Array.from({ length: 11 }, (_, n) => `hoard${n}.dev`)
const OTHERS = ['known.dev', 'again.dev', 'twice.dev', 'changing.dev', 'evil.dev', 'inside.dev']

const host = await openDocumentHost(documentOf)
afterAll(() => host.close())
beforeEach(() => {
  host.requests.length = 0
  host.answer = documentOf
})

const textIn = (id: string) => documentOf(id).body ?? ''

const queryFor = (client_id: string) =>
  new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT_URI.replace('/cb', '/callback'),
    scope: 'courses:read',
    state: 'st-4711',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  })

async function ask(bench: Bench, clientId: string, person: Person = 'alice'): Promise<Answer> {
  const headers = [['Cookie', await bench.session(person)]] as const
  return bench.send(`/oauth/authorize?${queryFor(clientId)}`, { headers })
}

async function clientOf(bench: Bench, clientId: string) {
  const client = { clientId, redirectUris: [queryFor(clientId).get('redirect_uri') ?? ''] }
  return testClient(bench.base, { ...(await bench.browser('alice')), client })
}

onTheService(
  'the host of a document',
  (bench) => {
    it.each<[string, string, HostAnswer]>([
      ['another status', 'wayward0.dev', { status: 500 }],
      [
        'a redirect',
        'wayward1.dev',
        { status: 302, headers: { location: 'https://inside.dev/client.json' } },
      ],
      ['a redirect to http', 'wayward2.dev', { status: 307, headers: { location: 'http://inside.dev/' } }],
      ['a page', 'wayward3.dev', { headers: { 'content-type': 'text/html' }, body: '<p>Are you human?' }],
      ['more than a document', 'wayward4.dev', { body: `{"x":"${'x'.repeat(6000)}"}` }],
      ['an encoding', 'wayward5.dev', { headers: { 'content-encoding': 'gzip' } }],
    ])(
      'CM-03: that answers %s gets one request, and the page does not reveal its response',
      async (_, name, answer) => {
        host.answer = () => answer
        bench.failuresExpected = true
        const id = `https://${name}/client.json`
        const page = await ask(bench, id, 'bob')
        expectPage(page, name, 503)
        expect(page.header('retry-after')).toBe('5')
        expect(page.body).toContain('The client_id URL cannot be fetched at the moment')
        expect(page.body).not.toMatch(/inside\.dev|500|302|307|html<|gzip|human/)
        expectPage(await ask(bench, id, 'bob'), 'the next attempt', 503)
        expect(host.requests).toEqual([id])
      },
    )

    it.each<[string, string, (id: string) => HostAnswer]>([
      ['of another client', 'wayward6.dev', () => documentOf('https://wayward6.dev/Client.json')],
      ['with a secret', 'wayward7.dev', (id) => documentOf(id, { client_secret: 'any secret' })],
      ['with a script', 'wayward8.dev', (id) => documentOf(id, { redirect_uris: ['javascript:alert(1)'] })],
      ['behind a byte order mark', 'wayward9.dev', (id) => ({ body: `\ufeff${textIn(id)}` })],
      ['below thousands of levels', 'wayward10.dev', () => ({ body: '['.repeat(5000) })],
      ['with two ids', 'wayward11.dev', (id) => ({ body: textIn(id).replace('}', END_OF_KNOWN) })],
    ])('CM-04: that publishes a document %s has no valid document', async (_, name, answer) => {
      host.answer = answer
      const page = await ask(bench, `https://${name}/client.json`)
      expectPage(page, name)
      expect(page.body).toContain('The client_id URL has no valid client metadata document')
    })

    it('CM-04: that publishes a `__proto__` describes an app without it, and changes no object of the server', async () => {
      const proto = '"__proto__":{"client_name":"Claude","skip_consent":true,"polluted":true},'
      host.answer = (id) => ({ body: textIn(id).replace('{', `{${proto}`) })
      const app = await clientOf(bench, 'https://wayward12.dev/client.json')
      const page = await ask(bench, app.clientId)
      expect(textOf(page.body)).toContain('<bdi>App</bdi>')
      expect(page.body).not.toContain('Claude')
      expect(await app.tokens('courses:read')).toMatchObject({ scope: 'courses:read' })
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    })

    it('CM-03: that responds with a `Refresh` is requested once, and its target is not requested', async () => {
      const headers = { refresh: '0; url=https://inside.dev/client.json' }
      host.answer = (id) => ({ ...documentOf(id), headers })
      const id = 'https://wayward13.dev/client.json'
      const page = await ask(bench, id)
      expect([page.status, page.header('refresh')]).toEqual([200, undefined])
      expect(page.body).not.toContain('inside.dev')
      expect(host.requests).toEqual([id])
    })

    it('CM-13: is shown next to the name that it claims, and its URL is escaped on the page', async () => {
      host.answer = (id) => documentOf(id, { client_name: "Claude' onclick='alert(1)" })
      const page = await ask(bench, "https://evil.dev/claude.ai/x'onclick='alert(1)&lt;/client.json")
      expect(page.status).toBe(200)
      expectGuardedPage(page)
      expect(page.body).toMatch(
        /Described by<\/dt><dd><code[^>]*>https:\/\/<strong[^>]*>evil\.dev<\/strong>\//,
      )
      expect(page.body).toContain('x&#39;onclick=&#39;alert(1)&amp;lt;/client.json</code>')
      expect(textOf(page.body)).toContain("<bdi>Claude' onclick='alert(1)</bdi>")
    })

    it('CM-09: that changes the document while its page is open has the page shown again', async () => {
      const app = await clientOf(bench, 'https://changing.dev/client.json')
      host.answer = (id) => ({ ...documentOf(id), headers: { 'cache-control': 'no-store' } })
      const page = await app.visit(app.authorizationUrl(Object.fromEntries(queryFor(app.clientId))))
      const [, action = '', ticket = ''] =
        /action="([^"]+)">\s*<input type="hidden" name="ticket" value="([^"]+)"/.exec(page.body) ?? []
      host.answer = (id) => documentOf(id, { client_name: 'Claude' })
      // Another page has this replica read the document again.
      await ask(bench, app.clientId)
      const form = { ticket, decision: 'allow', scope: 'courses:read' }
      const answer = await bench.post(textOf(action), form, [['Cookie', await bench.session('alice')]])
      expect([answer.status, answer.header('location')]).toEqual([200, undefined])
      expect(answer.body).toContain('<bdi>Claude</bdi>')
    })

    it('CM-14: is not requested for an id that is sent twice, in a body or with an address in it', async () => {
      const query = queryFor('https://twice.dev/client.json')
      const headers = [['Cookie', await bench.session('alice')]] as const
      const bad = [
        `${query}&client_id=https%3A%2F%2Ftwice.dev%2Fother.json`,
        `${query}&client_id=`,
        `${query}`.replace('https%3A', 'https%253A'),
        `${query}`.replace('https%3A', '%20https%3A'),
        `${query}`.replace('client.json', 'client.json%00'),
        `${query}`.replace('client.json', 'client.json%0D%0AHost%3A%20inside.dev'),
        `${query}`.replace('twice.dev', 'twice.dev%40inside.dev'),
        `${query}`.replace('twice.dev', 'twice.dev%5C%40inside.dev'),
      ]
      for (const sent of bad) {
        expectPage(await bench.send(`/oauth/authorize?${sent}`, { headers }), sent)
        expectPage(await bench.post(`/oauth/authorize`, [...new URLSearchParams(sent)], headers), sent)
      }
      expect(host.requests).toEqual([])
    })

    it('CM-08: is requested only by the authorization endpoint', async () => {
      const client_id = 'https://inside.dev/client.json'
      const basic = `Basic ${Buffer.from(`${encodeURIComponent(client_id)}:x`).toString('base64')}`
      for (const path of ['token', 'revoke', 'introspect']) {
        const form = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x' }
        expectInvalidClient(await bench.post(`/api/oauth/${path}`, { ...form, client_id }), path)
        const answer = await bench.post(`/api/oauth/${path}`, form, [['Authorization', basic]])
        expectInvalidClient(answer, path)
      }
      expect(host.requests).toEqual([])
    })

    it('CM-15: gets a limited number of requests from a user who tries many names below one domain, and known clients keep working', async () => {
      await (await clientOf(bench, KNOWN)).tokens('courses:read')
      bench.failuresExpected = true
      const asAlice = []
      for (const name of FLEET) asAlice.push(await ask(bench, `https://${name}/client.json`))
      expect(asAlice.map(({ status }) => status)).toEqual([200, 200, 200, 503, 503, 503, 503])
      expect(Number(asAlice.at(-1)?.header('retry-after'))).toBeGreaterThan(0)
      expect((await ask(bench, `https://${FLEET[6]}/client.json`, 'bob')).status).toBe(200)
      const { scope } = await (await clientOf(bench, KNOWN)).tokens('courses:read')
      expect(scope).toBe('courses:read')
    })
  },
  host.settings([...WAYWARD, ...FLEET, ...OTHERS]),
)

onTheService(
  'the hosts of many documents',
  (bench) => {
    it('CM-15: get no requests for a user who used ten unknown ones within the hour, and still serve others', async () => {
      const pages = []
      for (const name of HOARD) pages.push(await ask(bench, `https://${name}/client.json`))
      expect(pages.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429])
      expect(Number(pages.at(-1)?.header('retry-after'))).toBeGreaterThan(60)
      const last = host.requests.length
      expect((await ask(bench, `https://${HOARD[0]}/client.json`)).status, 'a known one').toBe(200)
      expect((await ask(bench, `https://${HOARD[10]}/client.json`, 'bob')).status).toBe(200)
      expect(host.requests.slice(last)).toEqual([`https://${HOARD[10]}/client.json`])
    })
  },
  { ...host.settings(HOARD), RATE_LIMITS: 'on' },
)
