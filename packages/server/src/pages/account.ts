import type { AuthorizationServer, Session } from '@grantkit/core'
import { toResponse } from '@grantkit/core/adapter'
import { isCrossSite } from '@grantkit/core/feature'
import { fill, fillText, html, pointInTime } from '@grantkit/pages'
import { type UserApps, type UserAppsPage, userApps } from '@grantkit/pages/connected-apps'
import type { Context } from 'hono'
import type { Account } from '../accounts/accounts.ts'
import type { UserSession } from '../accounts/sessions.ts'
import type { SignIn } from '../audit/reading.ts'
import { formOf, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import { addressOf, type Markup, pageResponse } from '../http/page.ts'
import type { Visit } from '../sign-in/session.ts'
import { providerOf, type WaysToSignIn } from '../sign-in/ways-to-sign-in.ts'
import { type AccountVisits, accountVisits, changeSignIn, PAGE_EXPIRED } from './change-sign-in.ts'
import { failuresSection } from './failed-sign-ins.ts'
import { elsewhereOf, signedOutPage, signOut } from './logout.ts'
import { deviceText, inLanguage, type LocalSite, type PageLanguage, type Says } from './page-language.ts'
import type { PageParts } from './parts.ts'
import { changePassword, isBySignIn, methodsOf, type Notify, signInMethods } from './sign-in-methods.ts'
import { forOperator } from './sign-in-page.ts'
import type { ShowAgain } from './upstream-login.ts'

export type AccountPage = ReturnType<typeof accountPage>

/**
 * The account page: the connected apps, the sign-in methods, and where its user is signed in.
 */
export function accountPage(options: PageParts, grants: AuthorizationServer['grants']) {
  const { site, signIns, ways, installationNames: names } = options
  const apps = userApps({ grants, scopes: options.scopes, names })
  const path = `${site.basePath}/account`
  const visits = accountVisits(options)
  const { sessions: browsers } = options.accounts

  async function answer(
    c: Context,
    visit: Visit,
    problem?: Says,
    reference?: string,
    notice?: string,
  ): Promise<Response> {
    const { session, account } = visit
    const here = inLanguage(site, c)
    const { language } = here
    const after = c.req.query('after')
    const page = await apps.list(session.subject, { after })
    const token = visits.tokenFor(visit)
    const strong = await options.adminSignIns.mayChangeSignIn(visit)
    const fresh = await visits.isFresh(visit)
    const changing = strong && fresh ? token : undefined
    const bySignIn = isBySignIn(visit, fresh)
    const { minLength } = options.passwordRules
    const shown = { pageToken: token, bySignIn, minLength, token: changing, strong }
    const methods = await methodsOf(ways, account, shown)
    const active = await browsers.list(session.subject)
    const latest = await signIns.list(session.subject)
    const main = html`
<h1>${language.account.title}</h1>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem(language)}</p>`}${forOperator(reference, language)}
${notice === undefined ? '' : html`<p class="notice" role="status">${notice}</p>`}
${identity(here, account, await options.directory.isAdmin(account.id))}
${appsSection(here, path, { ...page, after, ticket: token })}
${options.answersRequests ? requestsLink(here) : ''}${options.personalTokens === undefined ? '' : tokensLink(here, path)}
${ways.builtIn ? signInMethods(here, ways, methods) : ''}
${await failuresSection(options, session.subject, language)}
${sessionSections(here, { signIns: latest, active, session, token, ways })}`
    const status = problem === undefined ? 200 : 403
    const script = ways.ceremonies && 'passkeys.js'
    return pageResponse(here, { title: language.account.title, main, status, formAction: ["'self'"], script })
  }

  const signNotice: SignNotice = (c, session, says) =>
    visits.signNotice(session, says(inLanguage(site, c).language))
  const notify: Notify = (c, session, says) =>
    seeOther(c, addressOf(path, { notice: signNotice(c, session, says) }))

  return {
    ...changeSignIn(options, visits, answer),
    ...manageApps({ path, apps, signNotice }, visits, answer),
    async show(c: Context) {
      const visit = await visits.of(c)
      if (visit === undefined) return visits.signIn(c)
      return answer(c, visit, undefined, undefined, visits.noticeOf(c, visit))
    },
    showAgain: answer,
    changePassword: changePassword(options, visits, answer, notify),
    /** Ends the session of another browser. */
    endSession: visits.form(answer, async (c, visit, { session: ended = '' }) => {
      await browsers.end(visit.account.id, ended)
      return notify(c, visit.session, ({ account }) => account.sessionEnded)
    }),
    /** Ends every session of the user, including this one. */
    async signOutEverywhere(c: Context<WithBody>) {
      const visit = await visits.of(c)
      if (visit === undefined) {
        const isRepeated = await options.sessions.isSignedOutEverywhere(c.req.header('cookie'))
        const isOwn = !isCrossSite(options.baseUrl, c.req.header())
        return isRepeated && isOwn ? signOut(c, options, path) : visits.signIn(c)
      }
      if (!visits.isOwnForm(c, visit, formOf(c).token)) return answer(c, visit, PAGE_EXPIRED)
      await options.accounts.endSessions(visit.account.id, 'user')
      const { cookie } = await options.sessions.end(undefined)
      const elsewhere = await elsewhereOf(options, visit.session.provider, path)
      const shown = { elsewhere, returnTo: path, cookie, everywhere: true }
      return toResponse(signedOutPage(inLanguage(site, c), shown))
    },
  }
}

function requestsLink({ basePath, language: { account, requests } }: LocalSite): Markup {
  const link = html`<a href="${basePath}/oauth/requests">${requests.title}</a>`
  return html`<p>${fill(account.requests, { requests: link })}</p>`
}

function tokensLink({ language: { account, personalTokens } }: LocalSite, path: string): Markup {
  const tokens = html`<a href="${path}/tokens">${personalTokens.title}</a>`
  return html`<p>${fill(account.tokens, { tokens })}</p>`
}

function identity(
  { basePath, language: { account, logout } }: LocalSite,
  { name, email }: Account,
  isAdmin: boolean,
): Markup {
  return html`
<section class="card" aria-label="${account.you}">
  <p class="app-name"><bdi>${name}</bdi></p>
  ${email === undefined ? '' : html`<p class="hint"><bdi>${email}</bdi></p>`}${isAdmin ? html`<p><a href="${basePath}/admin">${account.operatorsView}</a></p>` : ''}
  <form method="post" action="${basePath}/logout" class="actions">
    <input type="hidden" name="return_to" value="${basePath}/account">
    <button>${logout.signOut}</button>
  </form>
</section>`
}

/** The cards of `@grantkit/pages`, in the language of this page. */
function appsSection(
  { ui, language }: LocalSite,
  path: string,
  { apps, after, next, ticket }: UserAppsPage & { readonly after?: string | undefined; ticket: string },
): Markup {
  const list = ui.connectedAppsList({
    ...{ locale: language.tag, heading: 'h3', apps, ticket },
    next: next && addressOf(path, { after: next }),
    first: after && path,
    actions: {
      disconnect: addressOf(path, { after }),
      name: addressOf(`${path}/apps/name`, { after }),
    },
  })
  return html`
<h2 class="part">${language.connectedApps.title}</h2>
${list}`
}

// The sections of the account page about where its user is signed in, and was.

interface Shown {
  /** The latest sign-ins, the newest first. */
  readonly signIns: readonly SignIn[]
  /** Where the user is signed in, the newest first. */
  readonly active: readonly UserSession[]
  /** The one of this browser. */
  readonly session: UserSession
  readonly token: string
  readonly ways: WaysToSignIn
}

const SHOWN_EARLIER = 5

function sessionSections(site: LocalSite, { signIns, active, session, token, ways }: Shown): Markup {
  const { basePath, language } = site
  const { account } = language
  const elsewhere = active.filter(({ id }) => id !== session.id)
  const ids = new Set([session.id, ...active.map(({ id }) => id)])
  const earlier = signIns.filter(({ sessionId }) => !ids.has(sessionId))
  return html`
<h2 class="part">${account.where}</h2>
<section class="card" aria-label="${account.where}">
  <ul class="entries">
    <li>${sessionText(language, session, ways)} · ${account.thisBrowser}</li>
    ${elsewhere.map((other) => html`<li class="session"><span>${sessionText(language, other, ways)} · ${fill(account.used, { time: pointInTime(language, other.usedAt) })}</span>${endForm(site, token, other, elsewhere)}</li>`)}
  </ul>
  <form method="post" action="${basePath}/account/sign-out" class="actions">
    <input type="hidden" name="token" value="${token}">
    <button>${account.endEverySession}</button>
  </form>
</section>
${earlier.length === 0 ? '' : earlierSignIns(language, earlier.slice(0, SHOWN_EARLIER))}
<p class="hint">${account.kept}</p>`
}

function earlierSignIns(language: PageLanguage, signIns: readonly SignIn[]): Markup {
  return html`
<details class="card" id="earlier"><summary>${language.account.earlier}</summary>
  <ul>${signIns.map((signIn) => html`<li>${signInText(language, signIn)}</li>`)}</ul>
</details>`
}

function sessionText(language: PageLanguage, session: UserSession, ways: WaysToSignIn): Markup {
  const { startedAt: at, network, device } = session
  const known = [device && deviceText(language, device), methodText(language, session, ways)].filter(
    (fact) => fact !== undefined,
  )
  return html`${known.map((fact) => `${fact} · `).join('')}${signInText(language, { at, network })}`
}

function methodText({ account }: PageLanguage, session: UserSession, ways: WaysToSignIn): string | undefined {
  const [method, id = ''] = session.signedInBy?.split(' ') ?? []
  if (method === 'password') return account.byPassword
  if (method === 'passkey') return account.byPasskey
  if (method === 'application') return account.byApplication
  const provider = providerOf(ways, id)?.provider.label ?? id
  return method === 'provider' ? fillText(account.byProvider, { provider }) : undefined
}

function signInText(language: PageLanguage, { at, network }: Pick<SignIn, 'at' | 'network'>): Markup {
  const time = pointInTime(language, at)
  if (network === undefined) return time
  return fill(language.account.from, { time, network: html`<code>${network}</code>` })
}

/** Each button has a name of its own: browsers with the same device that began in the same minute are numbered. */
function endForm(
  { basePath, language }: LocalSite,
  token: string,
  session: UserSession,
  all: readonly UserSession[],
): Markup {
  const { account, logout } = language
  const { id, device, startedAt } = session
  const named = ({ device, startedAt }: UserSession) => `${device} ${Math.floor(startedAt / 60)}`
  const equal = all.filter((other) => named(other) === named(session))
  const number = { number: String(equal.indexOf(session) + 1), count: String(equal.length) }
  const name = fill(account.session, {
    device: device === undefined ? account.someBrowser : deviceText(language, device),
    time: pointInTime(language, startedAt),
  })
  return html`<form method="post" action="${basePath}/account/sessions/end">
      <input type="hidden" name="token" value="${token}">
      <input type="hidden" name="session" value="${id}">
      <button>${logout.signOut}<span class="unseen"> ${name}${equal.length > 1 ? `, ${fillText(account.numbered, number)}` : ''}</span></button>
    </form>`
}

type SignNotice = (c: Context, session: Session, says: Says) => string

interface Parts {
  readonly path: string
  readonly apps: UserApps
  /** Signs a notice for the page that follows. */
  readonly signNotice: SignNotice
}

/** Handlers of the forms of "Connected apps". */
function manageApps({ path, apps, signNotice }: Parts, visits: AccountVisits, showAgain: ShowAgain) {
  /** @param work returns the notice of the page, if it has one */
  const manage = (
    work: (visit: Visit, fields: Record<string, string>, c: Context) => Promise<string | undefined>,
  ) =>
    visits.form(showAgain, async (c, visit, fields) => {
      const after = c.req.query('after')
      return seeOther(c, addressOf(path, { after, notice: await work(visit, fields, c) }))
    })

  return {
    /** Revokes the grants of one installation, or of all installations of its app. */
    disconnect: manage(async ({ session }, { installation = '', all }, c) => {
      const { subject } = session
      const after = c.req.query('after')
      if (all === undefined) {
        const app = await apps.disconnect(subject, installation, after)
        return app && signNotice(c, session, disconnected(app.called ?? app.name))
      }
      const app = await apps.disconnectAll(subject, installation, after)
      return app && signNotice(c, session, disconnected(app.name))
    }),
    /** Renames an installation. An empty field removes the name. */
    nameApp: manage(async ({ session }, { installation = '', name = '' }, c) => {
      await apps.name(session.subject, installation, name, c.req.query('after'))
      return undefined
    }),
  }
}

function disconnected(name?: string): Says {
  return ({ connectedApps, common }) =>
    fillText(connectedApps.disconnected, { app: name ?? common.unnamedApp })
}
