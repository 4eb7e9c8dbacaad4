import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import type { AccountRows } from '../accounts/account-rows.ts'
import { formOf, jsonError, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import { pageResponse } from '../http/page.ts'
import type { AdminSignIns } from '../sign-in/admin-sign-ins.ts'
import type { Visit } from '../sign-in/session.ts'
import { UpstreamError } from '../upstream/upstream-error.ts'
import { type AccountVisits, PAGE_EXPIRED } from './account-visits.ts'
import type { LoginOptions } from './login-options.ts'
import { type Begun, providerFailed, unreachable } from './upstream-login.ts'

/** Handlers of the forms of "How you sign in". Each needs a sign-in within the last minutes. */
export interface ChangeSignIn {
  passkeyOptions(c: Context): Promise<Response>
  addPasskey: FormHandler
  removePasskey: FormHandler
  connect: FormHandler
  removeIdentity: FormHandler
}

export type FormHandler = (c: Context<WithBody>) => Promise<Response>
/** Shows the account page again, with the problem. */
export type ShowAgain = (c: Context, visit: Visit, problem: string) => Promise<Response>

const MAX_NAME_LENGTH = 60
export const NOT_FRESH = 'To change how you sign in, sign in again first.'
const NOT_ADDED = 'The passkey was not added. Please try again.'
const LAST = 'This is your last way to sign in. Add another one first.'

export function changeSignIn(
  {
    site,
    ways,
    accounts,
    adminSignIns,
    onEvent,
  }: LoginOptions & { readonly accounts: AccountRows; readonly adminSignIns: AdminSignIns },
  visits: AccountVisits,
  showAgain: ShowAgain,
): ChangeSignIn {
  const { passkeys, ceremonies, providers } = ways
  const accountPath = `${site.basePath}/account`
  const toAccount = (c: Context) => seeOther(c, `${accountPath}#sign-in`)

  const mayChange = async (visit: Visit) =>
    visits.isFresh(visit) && (await adminSignIns.mayChangeSignIn(visit))

  /**
   * A page that continues to a provider. Browsers apply `form-action` to every redirect after a form, and a provider may redirect
   * to the sign-in of any company: nobody can list those.
   */
  function providerNext(label: string, { location, cookie }: Begun): Response {
    const title = `Continue with ${label}`
    const main = html`<h1>${title}</h1><p><a href="${location}">${title}</a></p>`
    return pageResponse(site, {
      title,
      main,
      headers: { refresh: `0;url=${location}`, 'set-cookie': cookie },
    })
  }

  const change =
    (work: (c: Context, visit: Visit, fields: Record<string, string>) => Promise<Response>): FormHandler =>
    async (c) => {
      const visit = await visits.of(c)
      if (visit === undefined) return visits.signIn(c)
      const fields = formOf(c)
      if (!visits.isOwnForm(c, visit, fields.token)) return showAgain(c, visit, PAGE_EXPIRED)
      return (await mayChange(visit)) ? work(c, visit, fields) : showAgain(c, visit, NOT_FRESH)
    }

  return {
    async passkeyOptions(c) {
      const visit = await visits.of(c)
      if (ceremonies === undefined || visit === undefined || !(await mayChange(visit)))
        return jsonError(c, 403, 'access_denied', NOT_FRESH)
      const { options, cookie } = await ceremonies.registration.begin(visit.account)
      return c.json(options, 200, { 'set-cookie': cookie, 'cache-control': 'no-store' })
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
      const removed = await accounts.removePasskey(subject, id)
      if (removed === 'last') return showAgain(c, visit, LAST)
      if (removed === 'removed') onEvent({ type: 'passkey_removed', subject, passkey: id })
      return toAccount(c)
    }),
    connect: change(async (c, visit, fields) => {
      const provider = providers.find(({ provider: { id } }) => id === fields.provider)
      if (provider === undefined) return toAccount(c)
      const purpose = { returnTo: accountPath, fresh: false, linkFor: visit.session.id, acrValues: '' }
      try {
        return providerNext(provider.provider.label, await provider.begin(purpose))
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        onEvent(providerFailed(provider.provider, error, visit.account.id))
        return showAgain(c, visit, unreachable(provider.provider.label))
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
