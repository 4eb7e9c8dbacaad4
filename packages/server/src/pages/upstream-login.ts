import { randomUUID } from 'node:crypto'
import { returnPath } from '@grantkit/core'
import { isCrossSite } from '@grantkit/core/feature'
import { fillText, html } from '@grantkit/pages'
import type { Context } from 'hono'
import type { StoredAccount } from '../accounts/accounts.ts'
import { connectionIdOf } from '../accounts/sessions.ts'
import { accountFor, type Identity, UpstreamError } from '../accounts/upstream/identities.ts'
import type { Belonging } from '../accounts/upstream/memberships.ts'
import type { Purpose, ToProvider, UpstreamSignIn } from '../accounts/upstream/upstream-sign-in.ts'
import type { Provider } from '../config/providers.ts'
import type { RefusalReason, SignInRefused } from '../events.ts'
import { formOf, jsonError, seeOther, type WithBody, wrongMethod } from '../http/bodies-and-answers.ts'
import { pageResponse } from '../http/page.ts'
import { wishesIn } from '../http/sign-in-wishes.ts'
import { factsOf, type Visit } from '../sign-in/session.ts'
import { hasOtherWay } from '../sign-in/ways-to-sign-in.ts'
import { signedIn, signInSucceeded } from './login.ts'
import { inLanguage, type LocalSite, type Says } from './page-language.ts'
import type { PageParts } from './parts.ts'
import { type Shown, type SignInPage, TOO_MANY, visitOf } from './sign-in-page.ts'

/** Shows the account page again, with the problem. @param reference of the attempt that it stopped */
export type ShowAgain = (c: Context, visit: Visit, problem: Says, reference?: string) => Promise<Response>

/** Sign-in with a provider: the redirect to it, and the callback, which takes either a GET or a POST. */
export function upstreamLogin(
  options: PageParts,
  page: SignInPage,
  showAgain: ShowAgain,
  provider: UpstreamSignIn,
) {
  const stopped = stoppedPage(options, page, showAgain)
  const refused = refusedPage(options, stopped, provider.provider)
  const explained = withProblems(refused, provider)
  const withinLimit = limited(options, stopped)
  const home = `${options.site.basePath}/`

  async function finish(c: Context, answer: string): Promise<Response> {
    const returned = await provider.finish(c.req.header('cookie'), answer)
    const { identity, purpose, confirmedAt, isUnproven } = returned
    const usedCookie = provider.usedCookie(answer)
    const { returnTo, linkFor } = purpose
    const visit = linkFor === '' ? undefined : await visitOfSession(options, c, linkFor)
    const onLinked = ({ id: subject }: StoredAccount, issuer: string) =>
      options.onEvent({ type: 'identity_linked', subject, issuer })
    const onRemapped = (subject: string, issuer: string) =>
      options.onEvent({ type: 'identity_remapped', subject, issuer })
    // Before an account is made, or linked.
    if (visit === undefined && isUnproven && isDemandOfApp(returnTo)) throw new UpstreamError('not_fresh')
    const account = await accountFor(
      { ...options.ways, onLinked, onRemapped },
      provider.provider,
      identity,
      visit?.account,
    )
    if (typeof account === 'string') {
      const holder = identity.email === undefined ? undefined : await options.accounts.idOf(identity.email)
      const event = refusalOf(provider.provider, account, visit?.account.id ?? holder, identity)
      const mayOffer = holder !== undefined && shownReason(account, identity) === 'email_in_use'
      const offer = mayOffer ? await offerOf(c, identity, holder) : undefined
      return refused(c, purpose, event, identity, offer)
    }
    if (visit === undefined && isUnproven && (await hasOtherWay(options.ways, account)))
      throw new UpstreamError('not_fresh')
    const onAdmitted = () => giveRoles(account.id, identity)
    if (visit === undefined) {
      const { id } = provider.provider
      const signedInBy = `provider ${id}`
      const { authTime, acr, amr, roles } = identity
      const given = typeof roles === 'object' ? { provider: id, roles } : undefined
      const vouched = identity.standing?.startsWith('vouched') ? true : undefined
      const facts = { signedInBy, authTime, confirmedAt, acr, amr, provider: id, vouched } as const
      return signedIn(options, c, { account, returnTo, usedCookie, given, onAdmitted, ...facts })
    }
    await onAdmitted()
    options.onEvent({ type: 'identity_linked', subject: account.id, issuer: identity.issuer })
    for (const line of [...(await continued(c, visit)), usedCookie])
      c.header('set-cookie', line, { append: true })
    return seeOther(c, returnTo)
  }

  /** For the user of an address that is in use: signed in to its account, they connect the identity. */
  async function offerOf(c: Context, identity: Identity, account: string): Promise<Offer | undefined> {
    const id = randomUUID()
    const waits = { provider: provider.provider, identity, account }
    const cookies = await options.waiting.begin(c.req.header('cookie'), id, waits)
    return cookies && { offers: { id, label: provider.provider.label }, cookies }
  }

  async function giveRoles(subject: string, { roles }: Identity): Promise<void> {
    if (roles === undefined) return
    const of = { subject, provider: provider.provider.id }
    if (typeof roles === 'string')
      return options.onEvent({ type: 'account_roles_unread', ...of, reason: roles })
    if (await options.ways.identities.setRoles(subject, provider.provider, roles))
      options.onEvent({ type: 'account_roles_changed', ...of, roles })
  }

  /** A new way to sign in ends every other session of the account. @returns the cookies of this browser */
  async function continued(c: Context, { account, session }: Visit): Promise<string[]> {
    // Another tab has connected a provider at the same time, and renewed the session.
    const ended = await options.accounts.endSessionsOf(account)
    if (ended === undefined) return []
    const connectedIn = connectionIdOf(session)
    const next = await options.sessions.start(ended, c.req.header('cookie'), {
      ...factsOf(session),
      connectedIn,
    })
    options.onEvent(signInSucceeded(next.session))
    return [next.cookie, ...options.browsers.remember(ended, c.req.header('cookie'))]
  }

  async function answered(c: Context, answer: string): Promise<Response> {
    const purpose = provider.purposeOf(c.req.header('cookie'), answer)
    const shown = purpose ?? { returnTo: home, wishes: {}, linkFor: undefined }
    const work = () => finish(c, answer)
    // Without the cookie nothing is sent to the provider, and any web page can make a browser load this address.
    return explained(c, shown, () => (purpose === undefined ? work() : withinLimit(c, shown, work)))
  }

  const { responseMode, label } = provider.provider

  return {
    async begin(c: Context<WithBody>) {
      const fields = formOf(c)
      const purpose = { returnTo: returnPath(fields.return_to, home), wishes: wishesIn(fields), linkFor: '' }
      if (!page.isOwnForm(c, fields.token)) return page.expired(c, purpose)
      const work = async () => toProvider(c, await provider.begin(c.req.header('cookie'), purpose))
      return explained(c, purpose, () => withinLimit(c, purpose, work))
    },
    async callback(c: Context) {
      if (responseMode !== 'query') return wrongMethod(c, 'POST')
      return answered(c, new URL(c.req.url).search)
    },
    /** The same for `form_post` (OAuth 2.0 Form Post Response Mode). */
    async posted(c: Context<WithBody>) {
      if (responseMode !== 'form_post') return wrongMethod(c, 'GET')
      if (c.var.body.length > MAX_POSTED)
        return jsonError(c, 413, 'invalid_request', 'The answer is too long')
      const fields = formOf(c)
      return isCrossSite(options.baseUrl, c.req.header())
        ? postAgain(inLanguage(options.site, c), label, fields)
        : answered(c, String(new URLSearchParams(fields)))
    },
  }
}

/** Characters of the form that a provider posts. */
const MAX_POSTED = 8 * 1024

/**
 * A browser sends no `SameSite=Lax` cookie with the POST of another site, not even after a redirect in each of them. So a page of
 * this service posts the same fields again. They are as safe as the query of a GET: they mean something in this browser alone.
 */
function postAgain(site: LocalSite, label: string, fields: Readonly<Record<string, string>>): Response {
  const { signIn, device } = site.language
  const title = fillText(signIn.backFrom, { provider: label })
  const main = html`<h1>${title}</h1>
<form method="post">${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="primary">${device.continue}</button></form>`
  // No form-action: the way back may lead to any client.
  return pageResponse(site, { title, main, script: 'post-again.js', formAction: 'any' })
}

function toProvider(c: Context, { location, cookies }: ToProvider): Response {
  for (const line of cookies) c.header('set-cookie', line, { append: true })
  return seeOther(c, location)
}

/** Where the way to the provider began. Without `linkFor` it did not begin in this browser. */
interface Back extends Pick<Purpose, 'returnTo' | 'wishes'> {
  readonly linkFor: string | undefined
}

type Stopped = (
  c: Context,
  back: Back,
  shown: Omit<Shown, keyof Back> & { readonly problem: Says },
) => Promise<Response>

/** The sign-in page, or the account page for a user who is signed in and was connecting the provider. */
function stoppedPage({ sessions }: PageParts, page: SignInPage, showAgain: ShowAgain): Stopped {
  return async (c, back, shown) => {
    const visit = back.linkFor ? await visitOf(c, sessions) : undefined
    return visit === undefined
      ? page.show(c, { ...back, ...shown })
      : showAgain(c, visit, shown.problem, shown.reference)
  }
}

type Within = (c: Context, back: Back, work: () => Promise<Response>) => Promise<Response>

/** Failures are limited by network, because each may send a request to the provider. */
function limited({ limits, callerOf }: PageParts, stopped: Stopped): Within {
  return async (c, back, work) => {
    const address = callerOf(c) ?? 'unknown'
    const wait = await limits.networks.take(address)
    if (wait > 0)
      return stopped(c, back, {
        status: 429,
        problem: TOO_MANY,
        headers: { 'retry-after': String(wait) },
      })
    const response = await work()
    await limits.networks.refund(address)
    return response
  }
}

type Offer = Pick<Shown, 'offers' | 'cookies'>
type Refused = (
  c: Context,
  back: Back,
  event: SignInRefused,
  user?: Belonging,
  offer?: Offer,
) => Promise<Response>

function refusedPage(options: PageParts, stopped: Stopped, provider: Provider): Refused {
  return async (c, back, event, user = {}, offer = {}) => {
    // Any web page can make a browser load the callback: what its user never began is not theirs.
    const visit = back.linkFor === undefined ? undefined : await visitOf(c, options.sessions)
    const status = STATUSES[event.reason] ?? 403
    const of = { returnTo: back.returnTo, status, subject: visit?.account.id }
    const told = reportRefusal(options, c, provider, event, of, user)
    return stopped(c, back, { ...offer, ...told, status, mayDecline: true })
  }
}

/** Reports it. @returns what the page says: the reason in the language of the user, and the reference */
export function reportRefusal(
  { site, callerOf, reportFailed }: PageParts,
  c: Context,
  provider: Provider,
  event: SignInRefused,
  of: Omit<Parameters<PageParts['reportFailed']>[1], 'caller'>,
  user: Belonging = {},
): { readonly problem: Says; readonly reference: string | undefined } {
  const refusal = {
    reason: shownReason(event.reason, user),
    provider: provider.label,
    domain: user.domain,
    domains: domainsFor(provider, user),
  }
  const problem: Says = ({ tag: locale }) => site.ui.signInRefusal({ ...refusal, locale }).text
  return { problem, reference: reportFailed(event, { ...of, caller: callerOf(c) }) }
}

/** That an address has an account here is told only to a user who has proven to the provider that it is theirs. */
function shownReason(reason: RefusalReason, { standing = 'verified' }: Belonging): RefusalReason {
  return reason === 'email_in_use' && standing.startsWith('vouched') ? 'sign_up_off' : reason
}

/** Those of the rule that the domain does not meet. */
function domainsFor(
  { require, signUp }: Provider,
  { domain = '' }: Belonging,
): readonly string[] | undefined {
  const rules = [require, typeof signUp === 'object' ? signUp : undefined]
  return rules.map((rule) => rule?.emailDomains).find((domains) => domains && !domains.includes(domain))
}

/** Failures are shown on the sign-in page. */
function withProblems(refused: Refused, { provider }: UpstreamSignIn): Within {
  return async (c, back, work) => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      return refused(c, back, providerFailed(provider, error))
    }
  }
}

/**
 * Whether an app wants the new sign-in: core has marked its request. A return without proof is not enough for it. For a demand of this
 * service it is, if the user has no other way (`isFresh`).
 */
function isDemandOfApp(returnTo: string): boolean {
  return new URL(returnTo, 'https://any.example').searchParams.has('sign_in_ticket')
}

/** The session that requested the link, and no other one. */
async function visitOfSession({ sessions }: PageParts, c: Context, id: string): Promise<Visit> {
  const visit = await sessions.visit(c.req.header('cookie'))
  if (visit === undefined || connectionIdOf(visit.session) !== id) throw new UpstreamError('state_expired')
  return visit
}

export function providerFailed(
  provider: UpstreamSignIn['provider'],
  { reason, detail }: UpstreamError,
): SignInRefused {
  return { ...refusalOf(provider, reason), ...(detail && { detail }) }
}

function refusalOf(
  provider: UpstreamSignIn['provider'],
  reason: RefusalReason,
  subject?: string,
  user: Belonging & { readonly issuer?: string } = {},
): SignInRefused {
  const { issuer = provider.issuer, domain, tenant, organizations } = user
  const found = domain ?? tenant ?? organizations?.[0]
  return {
    ...{ type: 'sign_in_refused', provider: provider.id, issuer, reason },
    ...(found !== undefined && { domain: found }),
    ...(subject !== undefined && { subject }),
  } as const
}

const STATUSES: Readonly<Partial<Record<RefusalReason, number>>> = {
  unreachable: 503,
  client_rejected: 503,
  too_long: 400,
}
