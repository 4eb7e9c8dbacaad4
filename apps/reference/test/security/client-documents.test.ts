import { documentOf, openDocumentHost } from '@grantkit/test-servers/document-host'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { CHALLENGE, REDIRECT_URI, textOf } from './app.ts'
import type { Person } from './bench.ts'
import { onTheService } from './on-the-service.ts'
import { expectGuardedPage, expectPage } from './safe-answers.ts'

/** Malicious document hosts, and users who abuse hosts. */

const HOARD = Array.from({ length: 11 }, (_, n) => `hoard${n}.dev`)
const OTHERS = ['redirecting.dev', 'marked.dev', 'twice.dev', 'evil.dev', 'inside.dev']

const host = await openDocumentHost(documentOf)
afterAll(() => host.close())
beforeEach(() => {
  host.requests.length = 0
  host.answer = documentOf
})

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

onTheService(
  'the host of a document',
  (bench) => {
    const ask = async (clientId: string, person: Person = 'alice') => {
      const headers = [['Cookie', await bench.session(person)]] as const
      return bench.send(`/oauth/authorize?${queryFor(clientId)}`, { headers })
    }

    it('CM-03: that redirects gets one request, and the page does not reveal its response', async () => {
      host.answer = () => ({ status: 302, headers: { location: 'https://inside.dev/client.json' } })
      bench.failuresExpected = true
      const id = 'https://redirecting.dev/client.json'
      const page = await ask(id)
      expectPage(page, id, 503)
      expect(page.header('retry-after')).toBe('5')
      expect(page.body).toContain('The client_id URL cannot be fetched at the moment')
      expect(page.body).not.toMatch(/inside\.dev|302/)
      expectPage(await ask(id), 'the next attempt', 503)
      expect(host.requests).toEqual([id])
    })

    it('CM-04: that publishes a document behind a byte order mark has no valid document', async () => {
      host.answer = (id) => ({ body: `\ufeff${documentOf(id).body}` })
      const page = await ask('https://marked.dev/client.json')
      expectPage(page)
      expect(page.body).toContain('The client_id URL has no valid client metadata document')
    })

    it('CM-13: is shown next to the name that it claims, and its URL is escaped on the page', async () => {
      host.answer = (id) => documentOf(id, { client_name: "Claude' onclick='alert(1)" })
      const page = await ask("https://evil.dev/claude.ai/x'onclick='alert(1)&lt;/client.json")
      expect(page.status).toBe(200)
      expectGuardedPage(page)
      expect(page.body).toMatch(
        /Described by<\/dt><dd><code[^>]*>https:\/\/<strong[^>]*>evil\.dev<\/strong>\//,
      )
      expect(page.body).toContain('x&#39;onclick=&#39;alert(1)&amp;lt;/client.json</code>')
      expect(textOf(page.body)).toContain("<bdi>Claude' onclick='alert(1)</bdi>")
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

    it('CM-15: gets no requests for a user who used ten unknown ones within the hour, but for others', async () => {
      const pages = []
      for (const name of HOARD) pages.push(await ask(`https://${name}/client.json`, 'bob'))
      expect(pages.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429])
      expect(Number(pages.at(-1)?.header('retry-after'))).toBeGreaterThan(60)
      const last = host.requests.length
      expect((await ask(`https://${HOARD[0]}/client.json`, 'bob')).status, 'a known one').toBe(200)
      expect((await ask(`https://${HOARD[10]}/client.json`)).status).toBe(200)
      expect(host.requests.slice(last)).toEqual([`https://${HOARD[10]}/client.json`])
    })
  },
  { ...host.settings([...HOARD, ...OTHERS]), RATE_LIMITS: 'on' },
)
