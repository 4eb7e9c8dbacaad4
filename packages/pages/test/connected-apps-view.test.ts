import { createAuthorizationServer, type HttpResponse } from '@grantkit/core'
import { connectedApps } from '@grantkit/pages/connected-apps'
import { createMemoryStore } from '@grantkit/store-memory'
import { testClient } from '@grantkit/testkit/client'
import { expect, it } from 'vitest'
import { pages } from '../src/index.ts'
import { connectedAppsView } from './connected-apps-view.ts'

const issuer = 'https://notes.example'
const REQUEST = { method: 'GET', path: '/connected-apps', query: '', headers: {}, body: '' }

/** The server of an application that has nothing but these pages. Ada is signed in. */
function openServer() {
  const ui = pages({ brand: { name: 'Notes' }, languages: ['en', 'de'] })
  return createAuthorizationServer({
    ...{ issuer, store: createMemoryStore(), secret: 'a secret of the tests, long enough to pass' },
    scopes: { 'notes:read': { description: { en: 'See your notes', de: 'Ihre Notizen ansehen' } } },
    interaction: {
      ...ui.interaction,
      session: async () => ({ id: 'session', subject: 'ada', authTime: 0 }),
      signIn: () => ({ status: 303, headers: { location: '/login' }, body: '' }),
    },
    features: [connectedApps(ui.connectedApps)],
  })
}

/** The part of a page from a form on, so that this form is the first one. */
function fromForm(page: HttpResponse, action: string): HttpResponse {
  return { ...page, body: page.body.slice(page.body.indexOf(`<form method="post" action="${action}"`)) }
}

it('a user names an app and disconnects it by the forms of the page', async () => {
  const client = await testClient(openServer(), {
    browser: { 'accept-language': 'de' },
    metadata: { client_name: 'Desk Calendar' },
  })
  const { refresh_token } = await client.tokens('notes:read')
  const submit = async (page: HttpResponse, action: string, fields = {}) => {
    const { headers } = await client.decide(fromForm(page, action), fields)
    return client.visit(`${issuer}${headers.location}`)
  }
  const list = await client.visit(`${issuer}/connected-apps`)
  expect(list.body).toContain('<li>Ihre Notizen ansehen</li>')

  const named = await submit(list, '/connected-apps/name', { name: 'Büro <b>' })
  expect(named.body).toContain('Die App heißt hier jetzt <bdi>Büro &lt;b&gt;</bdi>.')
  expect(named.body).toContain('Die App nennt sich selbst <bdi>Desk Calendar</bdi>.')

  const empty = await submit(named, '/connected-apps/disconnect')
  expect(empty.body).toContain('<bdi>Büro &lt;b&gt;</bdi> kann nichts mehr in Ihrem Namen tun.')
  expect(empty.body).toContain('Keine App kann etwas in Ihrem Namen tun.')
  expect((await client.refresh(refresh_token)).error).toBe('invalid_grant')
})

it('of a known client, the https host alone is marked as verified', async () => {
  const { connectedApps } = pages({ brand: { name: 'Notes' } })
  const view = connectedAppsView({ request: REQUEST, locale: 'en' }, 'Editor', [])
  const redirectUris = ['https://a.example/', 'http://127.0.0.1:1/', 'cursor://a.example/']
  const shown = async (knownClient?: string) => {
    const apps = view.apps.slice(0, 1).map((app) => ({ ...app, redirectUris, knownClient }))
    return (await connectedApps.connectedAppsPage({ ...view, apps })).body
  }
  expect(
    (await shown('cursor')).match(/a\.example<\/bdi> <span class="mark">Verified address</g),
  ).toHaveLength(1)
  expect((await shown('cursor')).match(/Verified address/g)).toHaveLength(1)
  expect(await shown()).not.toContain('Verified address')
})
