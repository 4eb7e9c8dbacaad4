import type { HttpResponse, Interaction, OpenAppView } from '@grantkit/core'
import { describe, expect, it } from 'vitest'
import { authorizationQuery, authorize, decide, redeem } from './client.ts'
import { CURSOR_APP, openKnown, requestConsent } from './known-client-service.ts'
import { openService, REDIRECT_URI, type Service, signInByCookie } from './service.ts'

/** A page that opens an app with a private-use redirect URI, because the browser leaves the consent page standing. */

const APP = 'com.example.app:/cb'
const PAGE_OF_APPLICATION = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: 'go on in the app',
}

interface Opened {
  readonly service: Service
  readonly opened: OpenAppView[]
}

type Options = NonNullable<Parameters<typeof openService>[0]>

/** A server whose application has such a page. @param open makes the server */
function openWithPage(open: (options: Options) => Service, page: HttpResponse = PAGE_OF_APPLICATION): Opened {
  const opened: OpenAppView[] = []
  const shown: Service['shown'] = {}
  const interaction: Interaction = {
    ...signInByCookie(shown, () => 1_800_000_000),
    openAppPage: (view) => {
      opened.push(view)
      return page
    },
  }
  return { service: { ...open({ interaction }), shown }, opened }
}

async function atConsent(redirectUri = APP, more: object = {}, page?: HttpResponse) {
  const { service, opened } = openWithPage((options) => openService({ ...options, ...more }), page)
  const client = await service.server.clients.add({
    ...{ clientName: 'Editor', redirectUris: [redirectUri], tokenEndpointAuthMethod: 'none' },
  })
  await authorize(service, authorizationQuery(client.clientId, { redirect_uri: redirectUri }))
  return { service, client, opened }
}

const callbackOf = (answer: HttpResponse) => new URL(String(answer.headers.refresh).replace(/^0;url=/, ''))

describe('the answer to an app with a private-use redirect URI', () => {
  it('is a page that navigates there by itself, and its code is valid', async () => {
    const { service, client, opened } = await atConsent()
    const answer = await decide(service)
    expect([answer.status, answer.headers.location, answer.body]).toEqual([
      200,
      undefined,
      'go on in the app',
    ])
    const callback = callbackOf(answer)
    expect(callback.href.startsWith(`${APP}?code=`)).toBe(true)
    expect(callback.searchParams.get('state')).toBe('a state')
    expect(opened).toMatchObject([
      {
        ...{ client: { clientName: 'Editor' }, allowed: true, lifetime: 60, locale: 'en' },
        ...{ redirectUri: APP, callbackUrl: callback.href },
      },
    ])
    const code = String(callback.searchParams.get('code'))
    expect((await redeem(service, client, code, { redirect_uri: APP })).status).toBe(200)
  })

  it('is stored nowhere, sends no referrer, and allows nothing that the page does not name', async () => {
    const { service } = await atConsent()
    expect((await decide(service)).headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'content-security-policy':
        "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    })
  })

  it('keeps the policy of the page, and neither its navigation nor its referrer policy', async () => {
    const own = { 'content-security-policy': "default-src 'none'; style-src 'sha256-x'" }
    const elsewhere = { refresh: '0;url=https://evil.example', 'referrer-policy': 'unsafe-url' }
    const page = { ...PAGE_OF_APPLICATION, headers: { ...own, ...elsewhere } }
    const { service } = await atConsent(APP, {}, page)
    const { headers } = await decide(service)
    expect(headers).toMatchObject({ ...own, 'referrer-policy': 'no-referrer' })
    expect(headers.refresh).toMatch(/^0;url=com\.example\.app:\/cb\?code=/)
  })

  it('tells the app of a denial', async () => {
    const { service, opened } = await atConsent()
    const answer = await decide(service, { decision: 'deny' })
    expect(callbackOf(answer).searchParams.get('error')).toBe('access_denied')
    expect(opened).toMatchObject([{ allowed: false }])
  })

  it('says that its code lives for 60 seconds if the app is a known client', async () => {
    const { service, opened } = openWithPage((options) =>
      openKnown({}, { ...options, lifetimes: { code: 600 } }),
    )
    await requestConsent(service, CURSOR_APP)
    expect(callbackOf(await decide(service)).protocol).toBe('cursor:')
    expect(opened).toMatchObject([{ lifetime: 60, redirectUri: CURSOR_APP }])
  })

  it('escapes what the app put into its state', async () => {
    const { service, client } = await atConsent()
    const state = '"><script>alert(1)</script>\r\nx: y;url=javascript:alert(1)'
    await authorize(service, authorizationQuery(client.clientId, { redirect_uri: APP, state }))
    const answer = await decide(service)
    expect(answer.headers.refresh).toMatch(/^0;url=com\.example\.app:\/cb\?[\w.=&%+*-]+$/)
    expect(callbackOf(answer).searchParams.get('state')).toBe(state)
  })
})

describe('a remembered consent of such an app', () => {
  async function remembered(prompt?: string) {
    const { service, opened } = openWithPage((options) => openService(options))
    const { clientId } = await service.server.clients.add({
      ...{ clientName: 'Editor', redirectUris: [APP], rememberConsent: true },
    })
    const query = authorizationQuery(clientId, { redirect_uri: APP, scope: 'courses:read' })
    await authorize(service, query)
    await decide(service)
    const again = await authorize(service, `${query}${prompt === undefined ? '' : `&prompt=${prompt}`}`)
    return { again, opened }
  }

  it('is answered by the page too', async () => {
    const { again, opened } = await remembered()
    expect([again.status, callbackOf(again).searchParams.has('code')]).toEqual([200, true])
    expect(opened).toHaveLength(2)
  })

  it('is answered by a redirect with prompt=none, which shows nothing', async () => {
    const { again, opened } = await remembered('none')
    expect([again.status, String(again.headers.location).startsWith(`${APP}?code=`)]).toEqual([303, true])
    expect(opened).toHaveLength(1)
  })
})

describe('no such page is shown', () => {
  it('where the application has none', async () => {
    const service = openService()
    const { clientId } = await service.server.clients.add({ clientName: 'Editor', redirectUris: [APP] })
    await authorize(service, authorizationQuery(clientId, { redirect_uri: APP }))
    const answer = await decide(service)
    expect([answer.status, answer.headers.refresh]).toEqual([303, undefined])
  })

  it.each(['https://crm.example/cb', REDIRECT_URI])('for %s', async (redirectUri) => {
    const { service, opened } = await atConsent(redirectUri)
    const { status, headers } = await decide(service)
    expect([status, String(headers.location).split('?')[0], opened]).toEqual([303, redirectUri, []])
  })

  it.each(['urn:ietf:wg:oauth:2.0:oob', 'app:cb', 'app://cb/{x}'])(
    'for %s, which only a policy of the operator accepts',
    async (uri) => {
      const redirectUriPolicy = (accepted: readonly string[]) => ({ accepted })
      const { service, opened } = await atConsent(uri, { redirectUriPolicy })
      const { status, headers } = await decide(service)
      expect([status, String(headers.location).startsWith(uri), opened]).toEqual([303, true, []])
    },
  )

  it('for an error before any page was shown', async () => {
    const { service, client, opened } = await atConsent()
    const query = authorizationQuery(client.clientId, { redirect_uri: APP, scope: 'unknown' })
    const { status, headers } = await authorize(service, query)
    expect([status, new URL(String(headers.location)).searchParams.get('error')]).toEqual([
      303,
      'invalid_scope',
    ])
    expect(opened).toEqual([])
  })

  it('for a form that is answered with the sign-in', async () => {
    const { service, opened } = await atConsent()
    const { headers } = await decide(service, {}, {})
    expect([String(headers.location).startsWith('/oauth/authorize?'), opened]).toEqual([true, []])
  })
})
