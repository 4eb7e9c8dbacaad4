import { env } from 'cloudflare:workers'
import { returnPath } from '@grantkit/core'
import { isCrossSite, networksOf } from '@grantkit/core/feature'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { signInPage, signOutPage } from './pages.ts'
import { endSession, startSession } from './session.ts'
import { passwordMatches } from './users.ts'

/** The pages at which users sign in and out. */
export const signIn = new Hono()

signIn.get('/login', () => signInPage())

signIn.post('/login', bodyLimit({ maxSize: 4096 }), async (c) => {
  // Another site could sign the user in as somebody else.
  if (isCrossSite(env.ISSUER, c.req.header())) return signInPage(403, 'Another site sent this form.')
  if (!(await mayTry(c.req.header('cf-connecting-ip'))))
    return signInPage(429, 'Too many attempts. Try again in a minute.')
  const { user, password } = await c.req.parseBody()
  if (typeof user !== 'string' || !(await passwordMatches(env.USERS, user, password)))
    return signInPage(403, 'Name and password do not match.')
  await startSession(c, user)
  return c.redirect(returnPath(c.req.query('to')), 303)
})

signIn.get('/logout', () => signOutPage())

signIn.post('/logout', (c) => {
  if (isCrossSite(env.ISSUER, c.req.header())) return signOutPage()
  endSession(c)
  return c.redirect(returnPath(c.req.query('to')), 303)
})

/** Counts an attempt. A line may have all 65,536 networks of an IPv6 /48, so that is counted too. */
async function mayTry(address = 'unknown'): Promise<boolean> {
  const networks = networksOf(address)
  const { success } = await env.SIGN_INS.limit({ key: networks[0] })
  return success && (await env.SITE_SIGN_INS.limit({ key: networks.at(-1) ?? '' })).success
}
