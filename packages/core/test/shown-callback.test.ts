import type { CallbackView } from '@grantkit/core'
import { signedResponses } from '@grantkit/core/signed-responses'
import { describe, expect, it } from 'vitest'
import { authorizationQuery, authorize, decide, redeem, register } from './client.ts'
import { openService, REDIRECT_URI } from './service.ts'

/** "My app runs on another machine": the user copies the callback URL by hand. */

async function atConsent(
  offered = true,
  metadata?: { clientName: string; redirectUris: string[] },
  more: Parameters<typeof openService>[0] = {},
  requested: Record<string, string> = {},
) {
  const shown: CallbackView[] = []
  const callbackPage = (view: CallbackView) => {
    shown.push(view)
    return { status: 200, headers: { 'content-type': 'text/html' }, body: 'paste it' }
  }
  const service = openService({ ...(offered && { callbackPage }), ...more })
  const client = metadata === undefined ? await register(service) : await service.server.clients.add(metadata)
  const redirect_uri = metadata?.redirectUris[0] ?? REDIRECT_URI
  await authorize(service, authorizationQuery(client.clientId, { redirect_uri, ...requested }))
  return { service, client, shown }
}

describe('a callback URL for an app on another machine', () => {
  it('is shown instead of the redirect, and its code is valid there', async () => {
    const { service, client, shown } = await atConsent()
    expect(service.shown.consent?.canShowCallback).toBe(true)
    const answer = await decide(service, { callback: 'show' })
    expect([answer.status, answer.headers.location, answer.body]).toEqual([200, undefined, 'paste it'])
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' })
    expect(shown).toMatchObject([{ client: { clientName: 'Test client' }, allowed: true, lifetime: 60 }])
    const url = new URL(String(shown[0]?.callbackUrl))
    expect([url.origin + url.pathname, url.searchParams.get('state')]).toEqual([REDIRECT_URI, 'a state'])
    expect((await redeem(service, client, String(url.searchParams.get('code')))).status).toBe(200)
  })

  it('is good for as long as its code, and for no longer than a signed answer with it', async () => {
    const options = { features: [signedResponses()], lifetimes: { code: 600 } }
    for (const [response_mode, lifetime] of [
      ['query', 600],
      ['jwt', 120],
    ] as const) {
      const { service, shown } = await atConsent(true, undefined, options, { response_mode })
      await decide(service, { callback: 'show' })
      expect(shown).toMatchObject([{ lifetime }])
    }
  })

  it('has access_denied after a denial, too', async () => {
    const { service, shown } = await atConsent()
    await decide(service, { decision: 'deny', callback: 'show' })
    expect(shown).toMatchObject([{ allowed: false }])
    expect(new URL(String(shown[0]?.callbackUrl)).searchParams.get('error')).toBe('access_denied')
  })

  it.each([
    ['another value', 'hide'],
    ['nothing', ''],
  ])('is gone to where the form says %s', async (_, callback) => {
    const { service, shown } = await atConsent()
    expect((await decide(service, { callback })).status).toBe(303)
    expect(shown).toEqual([])
  })

  it('is redirected to if the option is off, whatever the form contains', async () => {
    const { service } = await atConsent(false)
    expect(service.shown.consent).not.toHaveProperty('canShowCallback')
    const { status, headers } = await decide(service, { callback: 'show' })
    expect([status, String(headers.location).startsWith(`${REDIRECT_URI}?code=`)]).toEqual([303, true])
  })

  it('UI-14: is never shown for an https redirect URI', async () => {
    const crm = { clientName: 'CRM', redirectUris: ['https://crm.example/cb'] }
    const { service, shown } = await atConsent(true, crm)
    expect(service.shown.consent).not.toHaveProperty('canShowCallback')
    expect((await decide(service, { callback: 'show' })).headers.location).toMatch(
      /^https:\/\/crm\.example\/cb\?code=/,
    )
    expect(shown).toEqual([])
  })
})
