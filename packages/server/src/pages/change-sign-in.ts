import type { Session } from '@grantkit/core'
import { isCrossSite } from '@grantkit/core/feature'
import { fillText, html } from '@grantkit/pages'
import type { Context } from 'hono'
import * as z from 'zod'
import { connectionIdOf } from '../accounts/sessions.ts'
import { UpstreamError } from '../accounts/upstream/identities.ts'
import type { ToProvider } from '../accounts/upstream/upstream-sign-in.ts'
import { formOf, jsonError, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import { pageResponse } from '../http/page.ts'
import { signInAddress } from '../http/sign-in-wishes.ts'
import { hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import type { Visit } from '../sign-in/session.ts'
import { isFresh } from '../sign-in/ways-to-sign-in.ts'
import { inLanguage, type Says } from './page-language.ts'
import type { PageParts } from './parts.ts'
import { providerFailed, reportRefusal, type ShowAgain } from './upstream-login.ts'

export const MAX_NAME_LENGTH = 60
export const NOT_FRESH: Says = ({ account }) => account.notFresh
export const NOT_ADDED: Says = ({ methods }) => methods.passkeyNotAdded
const LAST: Says = ({ methods }) => methods.last

/** Handlers of the forms of "How you sign in". Each needs a sign-in within the last minutes. */
export function changeSignIn(options: PageParts, visits: AccountVisits, showAgain: ShowAgain) {
  const { site, ways, accounts, adminSignIns, requiredPasskeys, onEvent } = options
  const { passkeys, ceremonies, providers } = ways
  const accountPath = `${site.basePath}/account`
  const toAccount = (c: Context) => seeOther(c, `${accountPath}#sign-in`)

  const mayChange = async (visit: Visit) =>
    (await visits.isFresh(visit)) && (await adminSignIns.mayChangeSignIn(visit))

  /**
   * A page that continues to a provider. Browsers apply `form-action` to every redirect after a form, and a provider may redirect
   * to the sign-in of any company: nobody can list those.
   */
  function providerNext(c: Context, label: string, { location, cookies }: ToProvider): Response {
    const here = inLanguage(site, c)
    const title = fillText(here.language.signIn.withProvider, { provider: label })
    const main = html`<h1>${title}</h1><p><a href="${location}">${title}</a></p>`
    return pageResponse(here, {
      title,
      main,
      headers: { refresh: `0;url=${location}`, 'set-cookie': cookies },
    })
  }

  const change = (work: FormWork) =>
    visits.form(showAgain, async (c, visit, fields) =>
      (await mayChange(visit)) ? work(c, visit, fields) : showAgain(c, visit, NOT_FRESH),
    )

  return {
    async passkeyOptions(c: Context) {
      const visit = await visits.of(c)
      if (ceremonies === undefined || visit === undefined || !(await mayChange(visit)))
        return jsonError(c, 403, 'access_denied', 'The sign-in is not recent enough')
      const { options, cookies } = await ceremonies.registration.begin(c.req.header('cookie'), visit.account)
      return c.json(options, 200, { 'set-cookie': cookies, 'cache-control': 'no-store' })
    },
    addPasskey: change(async (c, visit, { answer = '', name = '' }) => {
      const { account } = visit
      const made = await ceremonies?.registration.verify(c.req.header('cookie'), account, answer)
      const named = { name: name.trim().slice(0, MAX_NAME_LENGTH) || 'Passkey', addedAt: Date.now() }
      const isNew = made !== undefined && (await passkeys.add({ ...made, ...named }, account))
      if (!isNew) return showAgain(c, visit, NOT_ADDED)
      onEvent({ type: 'passkey_added', subject: account.id, passkey: made.id })
      return toAccount(c)
    }),
    removePasskey: change(async (c, visit, { id = '' }) => {
      const subject = visit.account.id
      const removed = await accounts.removePasskey(subject, id, await requiredPasskeys.demand(visit.account))
      if (removed === 'last') return showAgain(c, visit, LAST)
      if (removed === 'removed') onEvent({ type: 'passkey_removed', subject, passkey: id })
      return toAccount(c)
    }),
    connect: change(async (c, visit, fields) => {
      const provider = providers.find(({ provider: { id } }) => id === fields.provider)
      if (provider === undefined) return toAccount(c)
      const purpose = { returnTo: accountPath, wishes: {}, linkFor: connectionIdOf(visit.session) }
      try {
        return providerNext(c, provider.provider.label, await provider.begin(c.req.header('cookie'), purpose))
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        const event = providerFailed(provider.provider, error)
        const of = { returnTo: accountPath, status: 403, subject: visit.account.id }
        const { problem, reference } = reportRefusal(options, c, provider.provider, event, of)
        return showAgain(c, visit, problem, reference)
      }
    }),
    removeIdentity: change(async (c, visit, { issuer = '', identity = '' }) => {
      const subject = visit.account.id
      const removed = await accounts.removeIdentity(subject, issuer, identity)
      if (removed === 'last') return showAgain(c, visit, LAST)
      if (removed === 'removed') onEvent({ type: 'identity_removed', subject, issuer })
      return toAccount(c)
    }),
  }
}

export const PAGE_EXPIRED: Says = ({ connectedApps }) => connectedApps.expired
type FormWork = (c: Context<WithBody>, visit: Visit, fields: Record<string, string>) => Promise<Response>
const FORM_LIFETIME_SECONDS = 60 * 60
const Form = z.object({ session: z.string() })
const NOTICE_LIFETIME_SECONDS = 60
const Notice = z.object({ session: z.string(), says: z.string() })

export type AccountVisits = ReturnType<typeof accountVisits>

/**
 * The session of a visit to the account page, and the check of its forms.
 *
 * @param area of the forms: a token of one area is invalid in the other
 * @param path where a visitor who signs in goes on
 */
export function accountVisits(
  { site, baseUrl, secret, sessions, ways }: PageParts,
  area: 'account' | 'admin' = 'account',
  path = `${site.basePath}/account`,
) {
  const key = hmacKeys(secret, `${area} form`)
  const noticeKey = hmacKeys(secret, `${area} notice`)
  const signInPath = signInAddress(site.basePath, path)
  const visitOf = (c: Context) => sessions.visit(c.req.header('cookie'))
  const signIn = (c: Context) => seeOther(c, signInPath)
  const isOwnForm = (c: Context, { session }: Visit, token: string | undefined) =>
    !isCrossSite(baseUrl, c.req.header()) &&
    verifyValue(key, token, Form, FORM_LIFETIME_SECONDS)?.session === session.id
  return {
    of: visitOf,
    /** The redirect of a visitor who is not signed in. */
    signIn,
    /** The token of all forms of the page. */
    tokenFor: ({ session }: Visit) => signValue(key, { session: session.id }, FORM_LIFETIME_SECONDS),
    isOwnForm,
    /** Handles a form of the page: `work` gets one that the session of its visitor was shown. */
    form: (showAgain: ShowAgain, work: FormWork) => async (c: Context<WithBody>) => {
      const visit = await visitOf(c)
      if (visit === undefined) return signIn(c)
      const fields = formOf(c)
      // The forms of `@grantkit/pages` call it a ticket.
      const isOwn = isOwnForm(c, visit, fields.token ?? fields.ticket)
      return isOwn ? work(c, visit, fields) : showAgain(c, visit, PAGE_EXPIRED)
    },
    /** For the parameter `notice` of the page that follows a form, which says it for a minute. */
    signNotice: ({ id: session }: Pick<Session, 'id'>, says: string) =>
      signValue(noticeKey, { session, says }, NOTICE_LIFETIME_SECONDS),
    noticeOf(c: Context, { session }: Visit): string | undefined {
      const notice = verifyValue(noticeKey, c.req.query('notice'), Notice, NOTICE_LIFETIME_SECONDS)
      return notice?.session === session.id ? notice.says : undefined
    },
    /** Whether the sign-in is recent enough to change the sign-in methods. */
    isFresh: (visit: Visit) => isFresh(ways, visit),
  }
}
