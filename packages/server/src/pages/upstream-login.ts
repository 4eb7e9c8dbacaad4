import { returnPath, type Session } from '@grantkit/core'
import type { Context } from 'hono'
import type { StoredAccount } from '../accounts/accounts.ts'
import { accountFor, UpstreamError } from '../accounts/upstream/identities.ts'
import type { ToProvider, UpstreamSignIn } from '../accounts/upstream/upstream-sign-in.ts'
import type { NoAccount, SignInEvent } from '../events.ts'
import { formOf, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import { type SignInWishes, wishesIn } from '../http/sign-in-wishes.ts'
import { hasOtherWay } from '../sign-in/ways-to-sign-in.ts'
import { type LoginOptions, signedIn } from './login.ts'
import { type SignInPage, TOO_MANY } from './sign-in-page.ts'

/** Sign-in with an OpenID provider: the redirect to it, and the callback. */
export interface UpstreamLogin {
  begin(c: Context<WithBody>): Promise<Response>
  callback(c: Context): Promise<Response>
}

export function upstreamLogin(
  options: LoginOptions,
  page: SignInPage,
  provider: UpstreamSignIn,
): UpstreamLogin {
  const explained = withProblems(options, page, provider)
  const withinLimit = limited(options, page)
  const home = `${options.site.basePath}/`

  async function finish(c: Context): Promise<Response> {
    const { search } = new URL(c.req.url)
    const { identity, purpose, confirmedAt, isUnproven } = await provider.finish(
      c.req.header('cookie'),
      search,
    )
    const usedCookie = provider.usedCookie(search)
    const { returnTo, linkFor } = purpose
    const linking = linkFor === '' ? undefined : await accountOfSession(options, c, linkFor)
    const onLinked = ({ id: subject }: StoredAccount, issuer: string) =>
      options.onEvent({ type: 'identity_linked', subject, issuer })
    const account = await accountFor({ ...options.ways, onLinked }, provider.provider, identity, linking)
    if (typeof account === 'string') {
      const { id, label } = provider.provider
      const holder = identity.email === undefined ? undefined : await options.accounts.idOf(identity.email)
      const event = failed(`provider_${account}`, id, linking?.id ?? holder)
      const reference = options.reportFailed(event, { returnTo, status: 403, caller: options.callerOf(c) })
      const problem = ACCOUNT_PROBLEMS[account](label)
      return page.show(c, {
        ...{ ...purpose, status: 403, problem, reference, mayDecline: true },
      })
    }
    if (linking === undefined) {
      if (isUnproven && !(await isProofEnough(options, returnTo, account)))
        throw new UpstreamError('not_fresh')
      const signedInBy = `provider ${provider.provider.id}`
      const { authTime, acr, amr } = identity
      const facts = { signedInBy, authTime, confirmedAt, acr, amr }
      return signedIn(options, c, { account, returnTo, usedCookie, ...facts })
    }
    options.onEvent({ type: 'identity_linked', subject: account.id, issuer: identity.issuer })
    c.header('set-cookie', usedCookie, { append: true })
    return seeOther(c, returnTo)
  }

  return {
    async begin(c) {
      const fields = formOf(c)
      const shown = { returnTo: returnPath(fields.return_to, home), wishes: wishesIn(fields) }
      if (!page.isOwnForm(c, fields.token)) return page.expired(c, shown)
      const purpose = { ...shown, linkFor: '' }
      const work = async () => toProvider(c, await provider.begin(c.req.header('cookie'), purpose))
      return explained(c, shown, () => withinLimit(c, shown, work))
    },
    callback(c) {
      const { search } = new URL(c.req.url)
      const purpose = provider.purposeOf(c.req.header('cookie'), search)
      const shown = purpose ?? { returnTo: home, wishes: {} }
      const work = () => finish(c)
      // Without the cookie nothing is sent to the provider, and any web page can make a browser load this address.
      return explained(c, shown, () => (purpose === undefined ? work() : withinLimit(c, shown, work)))
    },
  }
}

function toProvider(c: Context, { location, cookies }: ToProvider): Response {
  for (const line of cookies) c.header('set-cookie', line, { append: true })
  return seeOther(c, location)
}

/** The sign-in page of the same request. */
interface Back {
  readonly returnTo: string
  readonly wishes: SignInWishes
}

type Within = (c: Context, back: Back, work: () => Promise<Response>) => Promise<Response>

/** Failures are limited by network, because each may send a request to the provider. */
function limited({ limits, callerOf }: LoginOptions, page: SignInPage): Within {
  return async (c, back, work) => {
    const address = callerOf(c) ?? 'unknown'
    const wait = await limits.waitOfNetwork(address)
    if (wait > 0)
      return page.show(c, {
        ...back,
        status: 429,
        problem: TOO_MANY,
        headers: { 'retry-after': String(wait) },
      })
    const response = await work()
    await limits.refundNetwork(address)
    return response
  }
}

/** Failures are shown on the sign-in page. */
function withProblems(
  { callerOf, reportFailed }: LoginOptions,
  page: SignInPage,
  { provider }: UpstreamSignIn,
): Within {
  return async (c, back, work) => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      const { status, problem } = SIGN_IN_PROBLEMS[error.reason]
      const { returnTo } = back
      const reference = reportFailed(providerFailed(provider, error), {
        returnTo,
        status,
        caller: callerOf(c),
      })
      const shown = { status, problem: problem(provider.label), reference, mayDecline: true }
      return page.show(c, { ...back, ...shown })
    }
  }
}

/**
 * Whether the return alone is good, of a provider that was asked for a new sign-in and does not say that there was one. No app
 * gets that for proof. A page of this service takes it for a user who has no other way (`isFresh` there).
 */
async function isProofEnough(
  { requestingApp, ways }: LoginOptions,
  returnTo: string,
  account: StoredAccount,
): Promise<boolean> {
  return (await requestingApp(returnTo)) === undefined && !(await hasOtherWay(ways, account))
}

/** The account of the session that requested the link, and of no other session. */
async function accountOfSession(
  { sessions }: LoginOptions,
  c: Context,
  id: Session['id'],
): Promise<StoredAccount> {
  const visit = await sessions.visit(c.req.header('cookie'))
  if (visit?.session.id !== id) throw new UpstreamError('expired')
  return visit.account
}

/** @param subject the account that is linking the provider, if any */
export function providerFailed(
  provider: UpstreamSignIn['provider'],
  { reason, detail }: UpstreamError,
  subject?: string,
): SignInFailed {
  return { ...failed(`provider_${reason}`, provider.id, subject), detail }
}

type SignInFailed = Extract<SignInEvent, { type: 'sign_in_failed' }>

function failed(reason: SignInFailed['reason'], provider: string, subject?: string): SignInFailed {
  return { type: 'sign_in_failed', reason, subject, provider }
}

type Problem = (label: string) => string

export function unreachable(label: string): string {
  return `Signing in with ${label} does not work at the moment.`
}

const SIGN_IN_PROBLEMS: Readonly<
  Record<UpstreamError['reason'], { readonly status: number; readonly problem: Problem }>
> = {
  denied: { status: 403, problem: (label) => `${label} did not sign you in.` },
  unreachable: { status: 503, problem: unreachable },
  expired: {
    status: 403,
    problem: () => 'This sign-in took too long, or began in another window. Please try again.',
  },
  not_fresh: {
    status: 403,
    problem: (label) =>
      `You have to sign in again, and ${label} did not confirm a new sign-in. Please use another way to sign in.`,
  },
  too_long: { status: 400, problem: () => 'The address to which you would return is too long.' },
}

const ACCOUNT_PROBLEMS: Readonly<Record<NoAccount, Problem>> = {
  account_disabled: (label) => `Your account at ${label} cannot be used to sign in here.`,
  sign_up_refused: (label) => `Your account at ${label} cannot be used to sign in here.`,
  email_in_use: (label) =>
    `There is an account here with this e-mail address. If it is yours, sign in to it and connect ${label} there.`,
  identity_in_use: (label) => `Your account of ${label} is connected with another account here.`,
}
