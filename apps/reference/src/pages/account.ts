import type { AuthorizationServer, Session } from '@grantkit/core'
import type { Context } from 'hono'
import { html } from 'hono/html'
import { z } from 'zod'
import type { Account } from '../accounts.ts'
import type { SignIn, SignInHistory } from '../audit/sign-in-history.ts'
import { formOf, seeOther, type WithBody } from '../http.ts'
import { open, seal, sealingKey } from '../sealed.ts'
import { accountVisits, PAGE_EXPIRED, type Visit } from './account-visits.ts'
import { type ChangeSignIn, changeSignIn } from './change-sign-in.ts'
import { appCard, type ConnectedApp, connectedApps } from './connected-apps.ts'
import type { LoginOptions } from './login-options.ts'
import { type Markup, pageResponse, pointInTime } from './page.ts'
import { type Part, pageAddress, pageLinks, pageNumber, partOf } from './pagination.ts'
import { methodsOf, signInMethods } from './sign-in-methods.ts'

export interface AccountPageOptions extends LoginOptions {
  readonly signIns: SignInHistory
}

export interface AccountPage extends ChangeSignIn {
  show(c: Context): Promise<Response>
  /** Handles the form of one app: ends its access for this user. */
  disconnect(c: Context<WithBody>): Promise<Response>
}

const NOTICE_LIFETIME_SECONDS = 60
const Notice = z.object({ session: z.string(), disconnected: z.string() })

/** The account page: the apps with their scopes, a button to disconnect each, how the user signs in and did lately. */
export function accountPage(options: AccountPageOptions, grants: AuthorizationServer['grants']): AccountPage {
  const { site, signIns, ways } = options
  const path = `${site.basePath}/account`
  const noticeKey = sealingKey(options.secret, 'account notice')
  const visits = accountVisits(options)

  async function answer(c: Context, visit: Visit, problem?: string, notice?: string): Promise<Response> {
    const { session, account } = visit
    const apps = partOf(connectedApps(await grants.list(session.subject)), c.req.query('page'))
    const token = visits.tokenFor(visit)
    const methods = await methodsOf(ways, account, visits.isFresh(visit) ? token : undefined)
    const main = html`
<h1>Your account</h1>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
${notice === undefined ? '' : html`<p class="notice" role="status">${notice} is disconnected. It can do nothing in your name any more.</p>`}
${identity(account, site.basePath)}
${appsSection(apps, path, token)}
${signInMethods(site, ways, methods)}
${signInsSection(await signIns.list(session.subject), session)}`
    const status = problem === undefined ? 200 : 403
    const script = ways.ceremonies && 'passkeys.js'
    // No form-action: "Connect" leads to a provider.
    const formAction = ways.providers.length > 0 ? undefined : ["'self'"]
    return pageResponse(site, { title: 'Your account', main, status, formAction, script })
  }

  return {
    ...changeSignIn(options, visits, answer),
    async show(c) {
      const visit = await visits.of(c)
      if (visit === undefined) return visits.signIn(c)
      const notice = open(noticeKey, c.req.query('notice'), Notice)
      const own = notice?.session === visit.session.id
      return answer(c, visit, undefined, own ? notice.disconnected : undefined)
    },
    async disconnect(c) {
      const visit = await visits.of(c)
      if (visit === undefined) return visits.signIn(c)
      const { token, client_id } = formOf(c)
      if (!visits.isOwnForm(c, visit, token)) return answer(c, visit, PAGE_EXPIRED)
      const { subject, id } = visit.session
      const app = connectedApps(await grants.list(subject)).find(({ clientId }) => clientId === client_id)
      // Disconnected already, for example by a double click: that is what the user wants.
      const number = pageNumber(c.req.query('page'))
      if (app === undefined) return seeOther(c, pageAddress(path, number))
      await revokeAll(app, (grantId) => grants.revoke(subject, grantId))
      const done = { session: id, disconnected: app.name }
      const notice = seal(noticeKey, done, NOTICE_LIFETIME_SECONDS)
      return seeOther(c, pageAddress(path, number, { notice }))
    },
  }
}

/** A hundred at a time: an app may have thousands of grants. */
async function revokeAll(
  { grantIds }: ConnectedApp,
  revoke: (id: string) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < grantIds.length; start += 100)
    await Promise.all(grantIds.slice(start, start + 100).map(revoke))
}

function identity({ name, email }: Account, basePath: string): Markup {
  return html`
<section class="card" aria-label="You">
  <p class="app-name"><bdi>${name}</bdi></p>
  <p class="hint"><bdi>${email}</bdi></p>
  <form method="post" action="${basePath}/logout" class="actions">
    <input type="hidden" name="return_to" value="${basePath}/account">
    <button>Sign out</button>
  </form>
</section>`
}

function appsSection(apps: Part<ConnectedApp>, path: string, token: string): Markup {
  const none = html`<p>No app can do anything in your name.</p>`
  const action = pageAddress(path, apps.number)
  return html`
<h2 class="part">Connected apps</h2>
<p class="hint">An app that you disconnect is cut off at once, and has to ask you again. It counts as used when it fetches new tokens, about once an hour while it runs.</p>
${apps.items.length === 0 ? none : apps.items.map((app) => appCard(app, action, token))}${apps.last === 1 ? '' : pageLinks(apps, path)}`
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
