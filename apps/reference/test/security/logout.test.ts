import { expect, it } from 'vitest'
import { App } from './app.ts'
import type { Bench } from './bench.ts'
import { onTheService } from './on-the-service.ts'

/** RP-initiated logout, and the session that it ends. Its rules are tested in core, and its page in pages. */

const BACK = 'http://127.0.0.1:7001/signed-out'

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
  return { cookie, hint }
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
      const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: BACK, state: 's' })
      const answer = await bench.send(`/oauth/logout?${query}`, { headers: [['Cookie', cookie]] })
      expect([answer.status, answer.header('location')]).toEqual([303, `${BACK}?state=s`])
      expect(answer.header('set-cookie')).toMatch(/^session-\d+=; Max-Age=0/)
      expect(await isSignedIn(bench, cookie)).toBe(false)
      expect(await isSignedIn(bench, other)).toBe(true)
    })
  },
  { LOGOUT: 'on' },
)
