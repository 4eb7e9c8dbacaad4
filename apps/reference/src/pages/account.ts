import type { AuthorizationServer, Session } from '@grantkit/core'
import {
  type ConnectedApp,
  type InstallationNames,
  type UserAppsPage,
  userApps,
} from '@grantkit/core/connected-apps'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import { z } from 'zod'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { Account } from '../accounts/accounts.ts'
import type { SignIn, SignInHistory } from '../audit/sign-in-history.ts'
import { formOf, type WithBody } from '../http/bodies-and-answers.ts'
import { hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import { SCOPES } from '../oauth/scopes.ts'
import type { Visit } from '../sign-in/session.ts'
import { accountVisits, PAGE_EXPIRED } from './account-visits.ts'
import { type ChangeSignIn, changeSignIn } from './change-sign-in.ts'
import { appCard, shownName } from './connected-apps.ts'
import type { LoginOptions } from './login-options.ts'
import { type ManageApps, manageApps } from './manage-apps.ts'
import { type Markup, pageResponse, pointInTime } from './page.ts'
import { addressOf, pageLinks } from './pagination.ts'
import { methodsOf, signInMethods } from './sign-in-methods.ts'

export interface AccountPageOptions extends LoginOptions {
  readonly signIns: SignInHistory
  readonly installationNames: InstallationNames
  readonly accounts: AccountRows
}

export interface AccountPage extends ChangeSignIn, ManageApps {
  show(c: Context): Promise<Response>
  /** Ends every session of the user, including this one. */
  signOutEverywhere(c: Context<WithBody>): Promise<Response>
}

const NOTICE_LIFETIME_SECONDS = 60
const Notice = z.object({ session: z.string(), disconnected: z.string() })

/**
 * The account page: the connected apps with their scopes and forms to rename and disconnect them, the sign-in methods
 * and recent sign-ins.
 */
export function accountPage(options: AccountPageOptions, grants: AuthorizationServer['grants']): AccountPage {
  const { site, signIns, ways, installationNames: names } = options
  const apps = userApps({ grants, scopes: SCOPES, names })
  const path = `${site.basePath}/account`
  const noticeKey = hmacKeys(options.secret, 'account notice')
  const visits = accountVisits(options)

  async function answer(c: Context, visit: Visit, problem?: string, notice?: string): Promise<Response> {
    const { session, account } = visit
    const after = c.req.query('after')
    const page = await apps.list(session.subject, { after })
    const token = visits.tokenFor(visit)
    const methods = await methodsOf(ways, account, visits.isFresh(visit) ? token : undefined)
    const main = html`
<h1>Your account</h1>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
${notice === undefined ? '' : html`<p class="notice" role="status">${notice} is disconnected. It can do nothing in your name any more.</p>`}
${identity(account, site.basePath, token)}
${appsSection({ ...page, after }, path, token)}
${signInMethods(site, ways, methods)}
${signInsSection(await signIns.list(session.subject), session)}`
    const status = problem === undefined ? 200 : 403
    const script = ways.ceremonies && 'passkeys.js'
    // No form-action: "Connect" leads to a provider.
    const formAction = ways.providers.length > 0 ? 'any' : ["'self'"]
    return pageResponse(site, { title: 'Your account', main, status, formAction, script })
  }

  const sealNotice = ({ session }: Visit, app: ConnectedApp) =>
    signValue(noticeKey, { session: session.id, disconnected: shownName(app) }, NOTICE_LIFETIME_SECONDS)

  return {
    ...changeSignIn(options, visits, answer),
    ...manageApps({ path, apps, sealNotice }, visits, answer),
    async show(c) {
      const visit = await visits.of(c)
      if (visit === undefined) return visits.signIn(c)
      const notice = verifyValue(noticeKey, c.req.query('notice'), Notice, NOTICE_LIFETIME_SECONDS)
      const own = notice?.session === visit.session.id
      return answer(c, visit, undefined, own ? notice.disconnected : undefined)
    },
    async signOutEverywhere(c) {
      const visit = await visits.of(c)
      if (visit === undefined) return visits.signIn(c)
      if (!visits.isOwnForm(c, visit, formOf(c).token)) return answer(c, visit, PAGE_EXPIRED)
      await options.accounts.endSessions(visit.account.id, 'user')
      c.header('set-cookie', await options.sessions.end(undefined))
      return visits.signIn(c)
    },
  }
}

function identity({ name, email }: Account, basePath: string, token: string): Markup {
  return html`
<section class="card" aria-label="You">
  <p class="app-name"><bdi>${name}</bdi></p>
  ${email === undefined ? '' : html`<p class="hint"><bdi>${email}</bdi></p>`}
  <form method="post" action="${basePath}/logout" class="actions">
    <input type="hidden" name="return_to" value="${basePath}/account">
    <button>Sign out</button>
  </form>
  <form method="post" action="${basePath}/account/sign-out" class="actions">
    <input type="hidden" name="token" value="${token}">
    <button>Sign out everywhere</button>
  </form>
</section>`
}

function appsSection(
  { apps, after, next }: UserAppsPage & { readonly after: string | undefined },
  path: string,
  token: string,
): Markup {
  const isAll = after === undefined && next === undefined
  const none = html`<p>${isAll ? 'No app can do anything in your name.' : 'There are no apps on this page.'}</p>`
  const forms = {
    disconnect: addressOf(path, { after }),
    name: addressOf(`${path}/apps/name`, { after }),
    token,
  }
  return html`
<h2 class="part">Connected apps</h2>
<p class="hint">An app that you disconnect is cut off at once, and has to ask you again. It counts as used when it fetches new tokens, about once an hour while it runs.</p>
${apps.length === 0 ? none : apps.map((app) => appCard(app, forms))}${pageLinks(path, { after }, next)}`
}

function signInsSection(signIns: readonly SignIn[], session: Session): Markup {
  const thisOne = { sessionId: session.id, at: session.authTime }
  const known = signIns.some(({ sessionId }) => sessionId === session.id)
  const lines = known ? signIns : [thisOne, ...signIns]
  return html`
<h2 class="part">Recent sign-ins</h2>
<section class="card" aria-label="Recent sign-ins">
  <ul>${lines.map((signIn) => signInLine(signIn, session))}</ul>
</section>
<p class="hint">The last five. Of an address only its network is kept.</p>`
}

function signInLine({ sessionId, at, network }: SignIn, session: Session): Markup {
  const from = network === undefined ? '' : html` from <code>${network}</code>`
  return html`<li>${pointInTime(at)}${from}${sessionId === session.id ? ' · this browser' : ''}</li>`
}
