import type { AuthorizationServer, ScopeDefinition, Session } from '@grantkit/core'
import type { PersonalTokens } from '@grantkit/core/personal-tokens'
import { html } from '@grantkit/pages'
import { type InstallationNames, type UserAppsPage, userApps } from '@grantkit/pages/connected-apps'
import type { Context } from 'hono'
import * as z from 'zod'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { Account } from '../accounts/accounts.ts'
import type { SignInHistory } from '../audit/sign-in-history.ts'
import { formOf, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import { type Markup, pageResponse, type Site } from '../http/page.ts'
import { hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import { activeSessions } from '../sign-in/active-sessions.ts'
import type { AdminSignIns } from '../sign-in/admin-sign-ins.ts'
import type { Visit } from '../sign-in/session.ts'
import { sessionSections } from './account-sessions.ts'
import { accountVisits, PAGE_EXPIRED } from './account-visits.ts'
import { changePassword, isBySignIn, type Notify } from './change-password.ts'
import { type ChangeSignIn, changeSignIn, type FormHandler } from './change-sign-in.ts'
import type { ExternalParts } from './external-login.ts'
import { type FailureSources, failuresSection } from './failed-sign-ins.ts'
import type { LoginOptions } from './login-options.ts'
import { signedOutEverywherePage, signedOutPage } from './logout.ts'
import { type ManageApps, manageApps } from './manage-apps.ts'
import { addressOf } from './pagination.ts'
import { methodsOf, signInMethods } from './sign-in-methods.ts'

export interface AccountPageOptions extends LoginOptions, FailureSources {
  readonly signIns: SignInHistory
  readonly adminSignIns: AdminSignIns
  readonly installationNames: InstallationNames
  readonly scopes: Readonly<Record<string, ScopeDefinition>>
  readonly accounts: AccountRows
  /** Present if users may create personal access tokens. */
  readonly personalTokens?: PersonalTokens | undefined
  /** Present if an application signs the users in. */
  readonly external?: ExternalParts | undefined
}

export interface AccountPage extends ChangeSignIn, ManageApps {
  show(c: Context): Promise<Response>
  readonly changePassword: FormHandler
  /** Ends the session of another browser. */
  endSession(c: Context<WithBody>): Promise<Response>
  /** Ends every session of the user, including this one. */
  signOutEverywhere(c: Context<WithBody>): Promise<Response>
}

const NOTICE_LIFETIME_SECONDS = 60
const Notice = z.object({ session: z.string(), says: z.string() })

/**
 * The account page: the connected apps, the sign-in methods, and where its user is signed in.
 */
export function accountPage(options: AccountPageOptions, grants: AuthorizationServer['grants']): AccountPage {
  const { site, signIns, ways, installationNames: names } = options
  const apps = userApps({ grants, scopes: options.scopes, names })
  const path = `${site.basePath}/account`
  const noticeKey = hmacKeys(options.secret, 'account notice')
  const visits = accountVisits(options)
  const browsers = activeSessions(options.sessions, signIns)

  async function answer(c: Context, visit: Visit, problem?: string, notice?: string): Promise<Response> {
    const { session, account } = visit
    const after = c.req.query('after')
    const page = await apps.list(session.subject, { after })
    const token = visits.tokenFor(visit)
    const strong = await options.adminSignIns.mayChangeSignIn(visit)
    const changing = strong && visits.isFresh(visit) ? token : undefined
    const bySignIn = isBySignIn(visits, visit)
    const methods = await methodsOf(ways, account, { pageToken: token, bySignIn, token: changing, strong })
    const latest = await signIns.list(session.subject)
    const active = await browsers.among(account, latest)
    const main = html`
<h1>Your account</h1>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
${notice === undefined ? '' : html`<p class="notice" role="status">${notice}</p>`}
${identity(account, site.basePath)}
${appsSection(site, path, { ...page, after, ticket: token })}
${options.personalTokens === undefined ? '' : tokensLink(path)}
${ways.builtIn ? signInMethods(site, ways, methods) : ''}
${await failuresSection(options, session.subject)}
${sessionSections(site.basePath, { signIns: latest, active, session, token })}`
    const status = problem === undefined ? 200 : 403
    const script = ways.ceremonies && 'passkeys.js'
    return pageResponse(site, { title: 'Your account', main, status, formAction: ["'self'"], script })
  }

  const signNotice = ({ id }: Session, says: string) =>
    signValue(noticeKey, { session: id, says }, NOTICE_LIFETIME_SECONDS)
  const notify: Notify = (c, session, says) =>
    seeOther(c, addressOf(path, { notice: signNotice(session, says) }))

  return {
    ...changeSignIn(options, visits, answer),
    ...manageApps({ path, apps, signNotice }, visits, answer),
    async show(c) {
      const visit = await visits.of(c)
      if (visit === undefined) return visits.signIn(c)
      const notice = verifyValue(noticeKey, c.req.query('notice'), Notice, NOTICE_LIFETIME_SECONDS)
      const own = notice?.session === visit.session.id
      return answer(c, visit, undefined, own ? notice.says : undefined)
    },
    changePassword: changePassword(options, visits, answer, notify),
    async endSession(c) {
      const visit = await visits.of(c)
      if (visit === undefined) return visits.signIn(c)
      const { token, session: ended = '' } = formOf(c)
      if (!visits.isOwnForm(c, visit, token)) return answer(c, visit, PAGE_EXPIRED)
      await browsers.end(visit.account, ended)
      return notify(c, visit.session, 'That browser is signed out.')
    },
    async signOutEverywhere(c) {
      const visit = await visits.of(c)
      if (visit === undefined) return visits.signIn(c)
      if (!visits.isOwnForm(c, visit, formOf(c).token)) return answer(c, visit, PAGE_EXPIRED)
      await options.accounts.endSessions(visit.account.id, 'user')
      const cookie = await options.sessions.end(undefined)
      if (options.external !== undefined) return signedOutPage(site, options.external, path, cookie)
      return signedOutEverywherePage(site, path, cookie)
    },
  }
}

function tokensLink(path: string): Markup {
  return html`<p><a href="${path}/tokens">Personal access tokens</a>, for programs that no browser can sign in.</p>`
}

function identity({ name, email }: Account, basePath: string): Markup {
  return html`
<section class="card" aria-label="You">
  <p class="app-name"><bdi>${name}</bdi></p>
  ${email === undefined ? '' : html`<p class="hint"><bdi>${email}</bdi></p>`}
  <form method="post" action="${basePath}/logout" class="actions">
    <input type="hidden" name="return_to" value="${basePath}/account">
    <button>Sign out</button>
  </form>
</section>`
}

/** The cards of `@grantkit/pages`, in the language of this page. */
function appsSection(
  { ui }: Site,
  path: string,
  { apps, after, next, ticket }: UserAppsPage & { readonly after?: string | undefined; ticket: string },
): Markup {
  const list = ui.connectedAppsList({
    ...{ locale: 'en', heading: 'h3', apps, ticket },
    next: next && addressOf(path, { after: next }),
    first: after && path,
    actions: {
      disconnect: addressOf(path, { after }),
      name: addressOf(`${path}/apps/name`, { after }),
    },
  })
  return html`
<h2 class="part">Connected apps</h2>
${list}`
}
