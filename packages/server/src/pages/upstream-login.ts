import { returnPath, type Session } from '@grantkit/core'
import { isCrossSite } from '@grantkit/core/feature'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import type { StoredAccount } from '../accounts/accounts.ts'
import { accountFor, type Identity, UpstreamError } from '../accounts/upstream/identities.ts'
import type { Purpose, ToProvider, UpstreamSignIn } from '../accounts/upstream/upstream-sign-in.ts'
import type { NoAccount, SignInEvent } from '../events.ts'
import { formOf, jsonError, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import { pageResponse, type Site } from '../http/page.ts'
import { type LoginOptions, signedIn } from './login.ts'
import { type Demand, demandIn, type SignInPage, TOO_MANY } from './sign-in-page.ts'

/** Sign-in with a provider: the redirect to it, and the callback, which takes either a GET or a POST. */
export interface UpstreamLogin {
  begin(c: Context<WithBody>): Promise<Response>
  callback(c: Context): Promise<Response>
  /** The same for `form_post` (OAuth 2.0 Form Post Response Mode). */
  posted(c: Context<WithBody>): Promise<Response>
}

export function upstreamLogin(
  options: LoginOptions,
  page: SignInPage,
  provider: UpstreamSignIn,
): UpstreamLogin {
  const explained = withProblems(options, page, provider)
  const withinLimit = limited(options, page)
  const home = `${options.site.basePath}/`

  /** The sign-in page of the same request. */
  function back(c: Context, sent: Readonly<Record<string, string | undefined>>): Back {
    const returnTo = returnPath(sent.return_to, home)
    return { returnTo, demand: demandIn(options.site, c, sent), prompt: sent.prompt }
  }

  async function finish(c: Context, answer: string): Promise<Response> {
    const { identity, purpose } = await provider.finish(c.req.header('cookie'), answer)
    const usedCookie = provider.usedCookie(answer)
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
        ...back(c, sentIn(purpose)),
        ...{ status: 403, problem, reference },
      })
    }
    if (linking === undefined) {
      const confirmedAt = await confirmation(options.ways, identity, account)
      const signedInBy = `provider ${provider.provider.id}`
      const { authTime, acr, amr } = identity
      const facts = { signedInBy, authTime, confirmedAt, acr, amr }
      return signedIn(options, c, { account, returnTo, usedCookie, ...facts })
    }
    options.onEvent({ type: 'identity_linked', subject: account.id, issuer: identity.issuer })
    c.header('set-cookie', usedCookie, { append: true })
    return seeOther(c, returnTo)
  }

  async function answered(c: Context, answer: string): Promise<Response> {
    const purpose = provider.purposeOf(c.req.header('cookie'), answer)
    const shown = back(c, purpose === undefined ? {} : sentIn(purpose))
    const work = () => finish(c, answer)
    // Without the cookie nothing is sent to the provider, and any web page can make a browser load this address.
    return explained(c, shown, () => (purpose === undefined ? work() : withinLimit(c, shown, work)))
  }

  const { responseMode, label } = provider.provider

  return {
    async begin(c) {
      const fields = formOf(c)
      const shown = back(c, fields)
      if (!page.isOwnForm(c, fields.token)) return page.expired(c, shown)
      const { returnTo, demand } = shown
      const fresh = demandsFreshSignIn(returnTo)
      const again = fields.prompt === 'login'
      const purpose = { returnTo, fresh, again, linkFor: '', acrValues: demand?.acrValues ?? '' }
      const work = async () => toProvider(c, await provider.begin(c.req.header('cookie'), purpose))
      return explained(c, shown, () => withinLimit(c, shown, work))
    },
    async callback(c) {
      if (responseMode !== 'query') return notAllowed(c, 'POST')
      return answered(c, new URL(c.req.url).search)
    },
    async posted(c) {
      if (responseMode !== 'form_post') return notAllowed(c, 'GET')
      if (c.var.body.length > MAX_POSTED)
        return jsonError(c, 413, 'invalid_request', 'The answer is too long')
      const fields = formOf(c)
      return isCrossSite(options.baseUrl, c.req.header())
        ? postAgain(options.site, label, fields)
        : answered(c, String(new URLSearchParams(fields)))
    },
  }
}

/** Characters of the form that a provider posts. */
const MAX_POSTED = 8 * 1024

function notAllowed(c: Context, allow: string): Response {
  return jsonError(
    c,
    405,
    'invalid_request',
    'This method is not allowed here. Use one of the Allow header',
    {
      allow,
    },
  )
}

/**
 * A browser sends no `SameSite=Lax` cookie with the POST of another site, not even after a redirect in each of them. So a page of
 * this service posts the same fields again. They are as safe as the query of a GET: they mean something in this browser alone.
 */
function postAgain(site: Site, label: string, fields: Readonly<Record<string, string>>): Response {
  const title = `Back from ${label}`
  const main = html`<h1>${title}</h1>
<form method="post">${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="primary">Continue</button></form>`
  // No form-action: the way back may lead to any client.
  return pageResponse(site, { title, main, script: 'post-again.js', formAction: 'any' })
}

function toProvider(c: Context, { location, cookies }: ToProvider): Response {
  for (const line of cookies) c.header('set-cookie', line, { append: true })
  return seeOther(c, location)
}

interface Back {
  readonly returnTo: string
  readonly demand: Demand | undefined
  readonly prompt: string | undefined
}

/** The fields of the form that began the sign-in. */
function sentIn({ returnTo, acrValues, again }: Purpose): Readonly<Record<string, string | undefined>> {
  return { return_to: returnTo, acr_values: acrValues, prompt: again ? 'login' : undefined }
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
      return page.show(c, { ...back, status, problem: problem(provider.label), reference })
    }
  }
}

/**
 * The time of the confirmed sign-in. Without `auth_time`, the callback itself counts as confirmation, but only for an
 * account without a password and a passkey: otherwise its user could never add one.
 */
async function confirmation(
  { passkeys }: LoginOptions['ways'],
  { saysAuthTime }: Identity,
  { id, password }: StoredAccount,
): Promise<number | undefined> {
  const hasBetter = saysAuthTime || password !== '' || (await passkeys.list(id)).length > 0
  return hasBetter ? undefined : Math.floor(Date.now() / 1000)
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

/** An app may require a new sign-in (OpenID Connect Core 3.1.2.1). */
function demandsFreshSignIn(returnTo: string): boolean {
  const { searchParams } = new URL(returnTo, 'https://any.example')
  return searchParams.has('max_age') || /\b(login|select_account)\b/.test(searchParams.get('prompt') ?? '')
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
  admin_refused: (label) =>
    `${label} is not safe enough for the account of an admin. Please use another way to sign in.`,
  sign_up_refused: (label) => `Your account at ${label} cannot be used to sign in here.`,
  email_in_use: (label) =>
    `There is an account here with this e-mail address. If it is yours, sign in to it and connect ${label} there.`,
  identity_in_use: (label) => `Your account of ${label} is connected with another account here.`,
}
