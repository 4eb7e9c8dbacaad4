import type { HttpResponse } from '@grantkit/core'
import { type Check, orSkipped, Skipped, skippedWithout } from './check.ts'
import { documentOf, type Evidence, headerOf, memberOf, NO_CLIENT, REQUESTED_ORIGIN } from './evidence.ts'

/**
 * The first page that a user sees: sign-in, or consent if no sign-in is needed. A redirect, as to the sign-in page of an
 * application, is no page.
 */
const page = ({ baseUrl, answers: { page: signIn, authorize } }: Evidence): HttpResponse | Skipped => {
  const answer = signIn ?? authorize
  if (answer === undefined) return new Skipped(NO_CLIENT)
  if (isRedirect(answer)) {
    const location = headerOf(answer, 'location')
    const leads = URL.canParse(location, baseUrl) ? new URL(location, baseUrl).origin : location
    return new Skipped(`the user is sent on to ${leads}, which the doctor did not read`)
  }
  if (answer === authorize && answer.status !== 200)
    return new Skipped(`the authorization endpoint answered ${answer.status}`)
  return answer
}

/** Checks of pages, browser behaviour and clocks. */
export const PAGE_CHECKS: readonly Check[] = [
  {
    id: 'form-action',
    causes: 'code_not_redeemed',
    title: 'No policy keeps the browser from going back to the app',
    fix: 'Browsers apply form-action to redirects too: leave it out of the policy, or name the redirect target.',
    examine: skippedWithout(page, (answer) => {
      const sources = directiveOf(answer, 'form-action')
      const allowed =
        sources === undefined || [REQUESTED_ORIGIN, 'http:'].some((one) => sources.includes(one))
      return allowed ? undefined : `form-action is ${sources.join(' ')}`
    }),
  },
  {
    id: 'framing',
    title: 'No other site can frame the pages (RFC 9700 4.16)',
    fix: "Send Content-Security-Policy: frame-ancestors 'none'.",
    examine: skippedWithout(page, (answer) => {
      const ancestors = directiveOf(answer, 'frame-ancestors')?.join(' ')
      return ancestors === "'none'" ? undefined : 'the page can be framed'
    }),
  },
  {
    id: 'referrer',
    title: 'The address of a page goes to no other site (RFC 9700 4.2.4)',
    fix: 'Send Referrer-Policy: same-origin. With no-referrer, browsers send your own forms with Origin: null.',
    examine: skippedWithout(page, (answer) => {
      const policy = headerOf(answer, 'referrer-policy')
      return ['same-origin', 'no-referrer'].includes(policy) ? undefined : `Referrer-Policy is "${policy}"`
    }),
  },
  {
    id: 'page-no-store',
    causes: 'consent_ticket_invalid',
    title: 'Nothing keeps the pages',
    fix: 'Send Cache-Control: no-store.',
    examine: skippedWithout(page, (answer) => {
      const cacheControl = headerOf(answer, 'cache-control')
      return cacheControl.includes('no-store') ? undefined : `Cache-Control is "${cacheControl}"`
    }),
  },
  {
    id: 'clock',
    causes: 'assertion_expired',
    title: 'The clock is right within ten seconds',
    fix: 'Synchronise the clock of the server: it and the clocks of the clients decide whether a token has expired.',
    examine: skippedWithout(
      orSkipped(
        ({ answers }) => headerOf(answers.serverMetadata, 'date') || undefined,
        'no metadata came with a Date header',
      ),
      (date, { now }) => {
        const skew = Math.round(Date.parse(date) / 1000 - now)
        return Math.abs(skew) <= 10 ? undefined : `it is ${Math.abs(skew)} s ${skew > 0 ? 'ahead' : 'behind'}`
      },
    ),
  },
  {
    id: 'id-token',
    causes: 'token_not_used',
    title: 'An ID token names the same issuer, and is signed by a published key',
    fix: 'Set the base URL to the address that clients use, and publish every key that still has live tokens.',
    examine: skippedWithout(
      orSkipped(({ idToken }) => idToken, 'no ID token was given (--id-token)'),
      (idToken, { baseUrl, answers }) => {
        const [header, claims] = idToken.split('.', 2).map(decoded)
        if (memberOf(claims, 'iss') !== baseUrl) return `iss is ${memberOf(claims, 'iss')}`
        const keys = [documentOf(answers.keys)?.keys ?? []].flat() as { kid?: unknown }[]
        const kid = memberOf(header, 'kid')
        return keys.some((key) => key.kid === kid) ? undefined : `no published key has the kid ${kid}`
      },
    ),
  },
]

function isRedirect({ status }: HttpResponse): boolean {
  return status >= 300 && status < 400
}

function directiveOf(answer: HttpResponse, name: string): readonly string[] | undefined {
  const directives = headerOf(answer, 'content-security-policy')
    .split(';')
    .map((directive) => directive.trim().split(/\s+/))
  return directives.find(([directive]) => directive === name)?.slice(1)
}

function decoded(part: string): HttpResponse {
  return { status: 200, headers: {}, body: Buffer.from(part, 'base64url').toString() }
}
