import { returnPath, type Session } from '@grantkit/core'
import { fillText } from '@grantkit/pages'
import type { Context } from 'hono'
import type { StoredAccount } from '../accounts/accounts.ts'
import { type SignInCeremony, signInAnswer } from '../accounts/passkeys/ceremonies.ts'
import type { GivenRoles } from '../accounts/provider-roles.ts'
import { BY_PASSKEY, BY_PASSWORD } from '../config/authentication-classes.ts'
import type { SignInEvent } from '../events.ts'
import { formOf, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import { addressOf } from '../http/page.ts'
import { signInAddress, signInAgain, wishesIn } from '../http/sign-in-wishes.ts'
import type { SignInFacts } from '../sign-in/session.ts'
import { attemptPasskey, attemptPassword, signInFailed } from '../sign-in/sign-in-attempt.ts'
import { isFresh } from '../sign-in/ways-to-sign-in.ts'
import type { Says } from './page-language.ts'
import type { PageParts } from './parts.ts'
import { FORM_EXPIRED, needsNoSignIn, type Shown, type SignInPage, TOO_MANY } from './sign-in-page.ts'

/** Signs in with a password. */
export function login(options: PageParts, page: SignInPage) {
  const home = `${options.site.basePath}/`
  return {
    async show(c: Context) {
      const { return_to, state, needs, connect } = c.req.query()
      // A provider that has signed its user out brings it back.
      if (state !== undefined && return_to === undefined)
        return seeOther(c, signInAddress(options.site.basePath, returnPath(state, home)))
      const returnTo = returnPath(return_to, home)
      const connects = options.waiting.find(c.req.header('cookie'), connect)
      if (connect === undefined && (await needsNoSignIn(c, options))) return seeOther(c, returnTo)
      return page.show(c, {
        returnTo,
        email: c.req.query('login_hint') ?? '',
        needsPasskey: needs === 'passkey',
        connects,
        problem: needs === 'fresh' ? NOT_FRESH : connect && !connects ? FORM_EXPIRED : undefined,
        wishes: wishesIn(c.req.query()),
      })
    },
    async submit(c: Context<WithBody>) {
      const fields = formOf(c)
      const returnTo = returnPath(fields.return_to, home)
      const email = (fields.email ?? '').slice(0, 254)
      const connects = options.waiting.find(c.req.header('cookie'), fields.connect)
      const shown = { returnTo, email, wishes: wishesIn(fields), connects }
      const again = (status: number, problem: Says, headers = {}) =>
        page.show(c, { ...shown, status, problem, headers })
      const isLost = fields.connect !== undefined && connects === undefined
      if (isLost || !page.isOwnForm(c, fields.token)) return page.expired(c, shown)
      const caller = { address: options.callerOf(c), cookies: c.req.header('cookie') }
      const keepsCount = connects !== undefined
      const password = fields.password ?? ''
      const tried = await attemptPassword(options, { ...caller, email, password, keepsCount })
      if ('account' in tried && tried.account) {
        const { account } = tried
        return signedInHere(options, page, c, shown, { account, signedInBy: 'password', ...BY_PASSWORD })
      }
      options.onEvent(signInFailed(tried, 'wrong_password', await options.accounts.idOf(email)))
      if ('wait' in tried) return again(429, TOO_MANY, { 'retry-after': String(tried.wait) })
      return again(401, ({ signIn }) => signIn.wrongPassword)
    },
  }
}

/** Sign-in with a passkey: the options for the script of the page, and the form that it submits. */
export function passkeyLogin(options: PageParts, page: SignInPage, ceremony: SignInCeremony) {
  const home = `${options.site.basePath}/`
  return {
    async options(c: Context) {
      const { options: ceremonyOptions, cookies } = await ceremony.begin(c.req.header('cookie'))
      return c.json(ceremonyOptions, 200, { 'set-cookie': cookies, 'cache-control': 'no-store' })
    },
    async submit(c: Context<WithBody>) {
      const fields = formOf(c)
      const returnTo = returnPath(fields.return_to, home)
      const connects = options.waiting.find(c.req.header('cookie'), fields.connect)
      const shown = { returnTo, passkeysInField: false, wishes: wishesIn(fields), connects }
      const again = (status: number, problem: Says, headers = {}) =>
        page.show(c, { ...shown, status, problem, headers })
      const isLost = fields.connect !== undefined && connects === undefined
      if (isLost || !page.isOwnForm(c, fields.token)) return page.expired(c, shown)
      const answer = signInAnswer(fields.answer ?? '')
      const presented = answer && (await ceremony.find(c.req.header('cookie'), answer))
      const tried = presented
        ? await attemptPasskey(options, options.callerOf(c), presented.passkey.id, () =>
            ceremony.verify(presented),
          )
        : { account: undefined }
      if ('account' in tried && tried.account) {
        const { account } = tried
        return signedInHere(options, page, c, shown, { account, signedInBy: 'passkey', ...BY_PASSKEY })
      }
      options.onEvent(signInFailed(tried, 'wrong_passkey'))
      if ('wait' in tried) return again(429, TOO_MANY, { 'retry-after': String(tried.wait) })
      return again(401, ({ signIn }) => signIn.wrongPasskey)
    },
  }
}

const NOT_FRESH: Says = ({ firstPasskey }) => firstPasskey.notFresh

/** Completes a sign-in with a password or a passkey, and connects the identity that waits for it. */
async function signedInHere(
  options: PageParts,
  page: SignInPage,
  c: Context,
  shown: Shown,
  by: Pick<SignedIn, 'account' | 'signedInBy'> & { readonly acr: string },
): Promise<Response> {
  const { waiting, requiredPasskeys, onEvent } = options
  const { returnTo, connects: identity } = shown
  if (identity === undefined) return signedIn(options, c, { ...by, returnTo })
  const usedCookie = waiting.end(identity)
  const after = await requiredPasskeys.after(by.account, by.acr)
  if (after === 'refused') return signedIn(options, c, { ...by, returnTo, connect: identity.id })
  if (after === 'enrol') return signedIn(options, c, { ...by, returnTo, usedCookie })
  const connected = await waiting.connect(identity, by.account, by.acr)
  if (typeof connected === 'string') {
    onEvent({ type: 'sign_in_failed', reason: 'not_connected', subject: by.account.id })
    const text = connected === 'lost' ? 'connectAgain' : 'notConnected'
    const problem: Says = ({ signIn }) => fillText(signIn[text], { provider: identity.label })
    const exit = connected === 'lost' ? { connects: undefined, cookies: [usedCookie] } : {}
    return page.show(c, { ...shown, ...exit, status: 403, problem })
  }
  const { account, isNew } = connected
  if (isNew) onEvent({ type: 'identity_linked', subject: account.id, issuer: identity.issuer })
  return signedIn(options, c, { ...by, account, returnTo, usedCookie, provider: identity.provider })
}

/**
 * Completes a sign-in of any method: starts a session, and redirects to where the user came from. If the account needs a passkey and
 * this was none, no session starts.
 */
export interface SignedIn extends SignInFacts {
  readonly account: StoredAccount
  /** A path of this service. */
  readonly returnTo: string
  /** The Set-Cookie line that forgets how the sign-in began elsewhere. */
  readonly usedCookie?: string | undefined
  /** The id of an identity that goes on to wait for the passkey of the account. */
  readonly connect?: string | undefined
  /** The operator vouches for the address of the user, and the provider does not. */
  readonly vouched?: true | undefined
  /** The roles that a provider gives with it. */
  readonly given?: GivenRoles | undefined
  /** Runs before the session starts, if one does. */
  readonly onAdmitted?: (() => Promise<void>) | undefined
}

export async function signedIn(
  options: PageParts,
  c: Context,
  { account, returnTo, usedCookie, connect, vouched, given, onAdmitted, ...facts }: SignedIn,
): Promise<Response> {
  const { site, sessions, browsers, requiredPasskeys, onEvent } = options
  const after = await requiredPasskeys.after(account, facts.acr, given)
  if (after === 'enrol' || after === 'refused')
    return notSignedIn(options, c, after, { account, returnTo, usedCookie, connect, ...facts })
  await onAdmitted?.()
  const { session, cookie } = await sessions.start(account, c.req.header('cookie'), facts)
  onEvent({ ...signInSucceeded(session), ...acrOfApplication(facts), ...(vouched && { vouched }) })
  // An application has the passwords, and limits them.
  const device = facts.signedInBy === 'application' ? [] : browsers.remember(account, c.req.header('cookie'))
  for (const line of [cookie, usedCookie ?? [], device].flat()) c.header('set-cookie', line, { append: true })
  if (after === 'nothing') return seeOther(c, returnTo)
  return seeOther(c, addressOf(`${site.basePath}/login/passkey-notice`, { return_to: returnTo }))
}

/** To the passkey of the account, or to the page that adds a first one: for a user who has just proved to be there. */
async function notSignedIn(
  { site: { basePath }, ways, enrolments, onEvent }: PageParts,
  c: Context,
  after: 'enrol' | 'refused',
  {
    account,
    returnTo,
    usedCookie,
    connect,
    authTime = Math.floor(Date.now() / 1000),
    confirmedAt = authTime,
  }: SignedIn,
): Promise<Response> {
  const reason = after === 'enrol' ? 'passkey_missing' : 'passkey_required'
  onEvent({ type: 'sign_in_failed', reason, subject: account.id })
  if (usedCookie !== undefined) c.header('set-cookie', usedCookie)
  if (after === 'refused') {
    const more = new URLSearchParams({ needs: 'passkey', ...(connect !== undefined && { connect }) })
    return seeOther(c, `${signInAgain(basePath, returnTo, false)}&${more}`)
  }
  if (!(await isFresh(ways, { account, session: { authTime, confirmedAt } })))
    return seeOther(c, `${signInAgain(basePath, returnTo)}&needs=fresh`)
  c.header('set-cookie', enrolments.begin(account), { append: true })
  return seeOther(c, addressOf(`${basePath}/login/enrol`, { return_to: returnTo }))
}

/** The other methods have the class of their name. */
function acrOfApplication({ signedInBy, acr }: SignInFacts): { readonly acr?: string } {
  return signedInBy === 'application' && acr ? { acr } : {}
}

export function signInSucceeded({ subject, id: sessionId, firstId, signedInBy }: Session): SignInEvent {
  return { type: 'sign_in_succeeded', subject, sessionId, firstId, signedInBy }
}
