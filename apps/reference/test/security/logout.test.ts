import { expect, it } from 'vitest'
import { App } from './app.ts'
import type { Bench } from './bench.ts'
import { onTheService } from './on-the-service.ts'
import { expectGuardedPage, expectPage } from './safe-answers.ts'
import type { Answer } from './wire.ts'

/** RP-initiated logout, and attacks on it. */

const BACK = 'http://127.0.0.1:7001/signed-out'
const FORM = /<form method="post" action="([^"]+)">\s*<input type="hidden" name="ticket" value="([^"]+)">/

/** A new sign-in of Alice, and an ID token that an app got by it. */
async function signedIn(bench: Bench) {
  const cookie = await bench.signIn('alice', bench.passwordOf('alice'))
  const app = await App.register(bench, { post_logout_redirect_uris: [BACK] })
  const page = await app.bench.send(`/oauth/authorize?${app.query()}`, { headers: [['Cookie', cookie]] })
  const [, action = ''] = /action="([^"]+)"/.exec(page.body) ?? []
  const [, ticket = ''] = /name="ticket" value="([^"]+)"/.exec(page.body) ?? []
  const scopes = ['openid', 'profile', 'courses:read'].map((scope) => ['scope', scope] as const)
  const fields = [['ticket', ticket], ['decision', 'allow'], ...scopes] as const
  const answer = await bench.post(action.replaceAll('&amp;', '&'), fields, [['Cookie', cookie]])
  const code = bench.keepSecret(String(answer.redirected().get('code')))
  const { id_token: hint } = (await app.redeem(code)).json() as { id_token: string }
  return { app, cookie, hint }
}

function ask(bench: Bench, cookie: string, query: Record<string, string>): Promise<Answer> {
  return bench.send(`/oauth/logout?${new URLSearchParams(query)}`, { headers: [['Cookie', cookie]] })
}

/** Whether the cookie still is a session. */
async function isSignedIn(bench: Bench, cookie: string): Promise<boolean> {
  return (await bench.send('/account', { headers: [['Cookie', cookie]] })).status === 200
}

onTheService(
  'a sign-out by a client',
  (bench) => {
    it('LO-08: a hint of this sign-in ends the session on the server, so that its cookie is invalid', async () => {
      const { cookie, hint } = await signedIn(bench)
      const other = await bench.signIn('alice', bench.passwordOf('alice'))
      const query = { id_token_hint: hint, post_logout_redirect_uri: BACK, state: 's' }
      const answer = await ask(bench, cookie, query)
      expect([answer.status, answer.header('location')]).toEqual([303, `${BACK}?state=s`])
      expect(answer.header('set-cookie')).toMatch(/^session-\d+=; Max-Age=0/)
      expect(await isSignedIn(bench, cookie)).toBe(false)
      expect(await isSignedIn(bench, other)).toBe(true)
    })

    it('LO-01, LO-03: without a hint the user must confirm, and the form ends only the session that it was shown to, once', async () => {
      const { cookie, app } = await signedIn(bench)
      const page = await ask(bench, cookie, { client_id: app.id, post_logout_redirect_uri: BACK })
      expect([page.status, page.header('set-cookie')]).toEqual([200, undefined])
      expectGuardedPage(page)
      const [, action = '', ticket = ''] = FORM.exec(page.body) ?? []
      expect(page.header('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:7001")
      const submit = (as: string) => bench.post(action.replaceAll('&amp;', '&'), { ticket }, [['Cookie', as]])
      expectPage(await submit(await bench.session('bob')))
      expect(await isSignedIn(bench, cookie)).toBe(true)
      expect((await submit(cookie)).header('location')).toBe(BACK)
      expect(await isSignedIn(bench, cookie)).toBe(false)
      expectPage(await submit(cookie))
    })
  },
  { LOGOUT: 'on' },
)
