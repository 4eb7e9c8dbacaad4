import { expect, it } from 'vitest'
import { App } from './app.ts'
import type { Bench } from './bench.ts'
import { onTheService } from './on-both-stores.ts'

/** Attacks on pushed requests by unauthenticated callers and other browsers. */

async function push(app: App, changed: Record<string, string> = {}) {
  const request = Object.fromEntries(new URLSearchParams(app.query()))
  return app.bench.post('/api/oauth/par', { ...request, ...app.credentials, ...changed })
}

async function pushedQuery(app: App): Promise<string> {
  const answer = await push(app)
  expect(answer.status, answer.body).toBe(201)
  const request_uri = String((answer.json() as { request_uri: string }).request_uri)
  return String(new URLSearchParams({ client_id: app.id, request_uri }))
}

/** Where the server sends a browser that has just arrived. */
async function marked(app: App, query: string): Promise<string> {
  const answer = await app.ask(query)
  const [, after = ''] = String(answer.header('location')).split('/oauth/authorize?')
  return after
}

async function grantsIn({ service }: Bench): Promise<number> {
  let count = 0
  for await (const _ of service.store.grants.scan()) count++
  return count
}

onTheService(
  'a pushed request',
  (bench) => {
    it('PA-08: uses no storage, however many an unauthenticated caller pushes', async () => {
      const app = await App.register(bench)
      const before = await grantsIn(bench)
      for (let count = 0; count < 100; count++) expect((await push(app)).status).toBe(201)
      expect(await grantsIn(bench)).toBe(before)
    })

    it('PA-09: issues one code to one of two users who approve it ten times each at once', async () => {
      const alice = await App.register(bench)
      const query = await pushedQuery(alice)
      const form = await alice.consentForm(await marked(alice, query))
      const cookie = [['Cookie', await bench.session('bob')]] as const
      const first = await bench.send(`/oauth/authorize?${query}`, { headers: cookie })
      const page = await bench.send(String(first.header('location')), { headers: cookie })
      const [, action = ''] = /action="(\/oauth\/consent[^"]+)"/.exec(page.body) ?? []
      const [, ticket = ''] = /name="ticket" value="([^"]+)"/.exec(page.body) ?? []
      const bobs = [
        ['ticket', ticket],
        ['decision', 'allow'],
        ['scope', 'courses:read'],
      ] as const
      const tens = Array.from({ length: 10 }, () => [
        alice.submit(form),
        bench.post(action.replaceAll('&amp;', '&'), bobs, [...cookie]),
      ])
      const answers = await Promise.all(tens.flat())
      const codes = answers.map((answer) => answer.redirected().get('code')).filter((code) => code !== null)
      expect(new Set(codes).size).toBe(1)
      expect((await alice.redeem(bench.keepSecret(String(codes[0])))).status).toBe(200)
      const grants = await Promise.all(
        ['alice', 'bob'].map((person) => bench.service.grants.list(`${person}-id`)),
      )
      expect(
        grants.flatMap((page) => page.grants).filter(({ clientId }) => clientId === alice.id),
      ).toHaveLength(1)
    })
  },
  { PAR: 'on' },
)
