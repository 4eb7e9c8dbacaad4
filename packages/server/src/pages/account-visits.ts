import { isCrossSite } from '@grantkit/core/feature'
import type { Context } from 'hono'
import * as z from 'zod'
import { seeOther } from '../http/bodies-and-answers.ts'
import { hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import type { Visit } from '../sign-in/session.ts'
import type { LoginOptions } from './login-options.ts'

/** The session of a visit to the account page, and the check of its forms. */
export interface AccountVisits {
  of(c: Context): Promise<Visit | undefined>
  /** The redirect of a visitor who is not signed in. */
  signIn(c: Context): Response
  /** The token of all forms of the page. */
  tokenFor(visit: Visit): string
  isOwnForm(c: Context, visit: Visit, token: string | undefined): boolean
  /** Whether the sign-in is recent enough to change the sign-in methods. */
  isFresh(visit: Visit): boolean
}

export const PAGE_EXPIRED = 'This page was open for too long. Nothing was changed; please try again.'
const FORM_LIFETIME_SECONDS = 60 * 60
const FRESH_SECONDS = 5 * 60
const Form = z.object({ session: z.string() })

/** @param area of the forms: a token of one area is invalid in the other */
export function accountVisits(
  { site, baseUrl, secret, sessions }: LoginOptions,
  area: 'account' | 'admin' = 'account',
): AccountVisits {
  const key = hmacKeys(secret, `${area} form`)
  const signInPath = `${site.basePath}/login?${new URLSearchParams({ return_to: `${site.basePath}/account` })}`
  return {
    of: (c) => sessions.visit(c.req.header('cookie')),
    signIn: (c) => seeOther(c, signInPath),
    tokenFor: ({ session }) => signValue(key, { session: session.id }, FORM_LIFETIME_SECONDS),
    isOwnForm: (c, { session }, token) =>
      !isCrossSite(baseUrl, c.req.header()) &&
      verifyValue(key, token, Form, FORM_LIFETIME_SECONDS)?.session === session.id,
    isFresh,
  }
}

export function isFresh({ session }: Visit): boolean {
  return Date.now() / 1000 - session.confirmedAt <= FRESH_SECONDS
}
