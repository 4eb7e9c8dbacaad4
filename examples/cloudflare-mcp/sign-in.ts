import { env } from 'cloudflare:workers'
import { returnPath } from '@grantkit/core'
import { isCrossSite, networkOf } from '@grantkit/core/feature'
import { Hono } from 'hono'
import { signInPage, signOutPage } from './pages.ts'
import { endSession, startSession } from './session.ts'
import { passwordMatches } from './users.ts'

/** The pages at which users sign in and out. */
export const signIn = new Hono()

signIn.get('/login', () => signInPage())

signIn.post('/login', async (c) => {
  // Another site could sign the user in as somebody else.
  if (isCrossSite(env.ISSUER, c.req.header())) return signInPage(403, 'Another site sent this form.')
  const network = networkOf(c.req.header('cf-connecting-ip') ?? 'unknown')
  const { success } = await env.SIGN_INS.limit({ key: network })
  if (!success) return signInPage(429, 'Too many attempts. Try again in a minute.')
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
