import type { AuthorizationServer, UserGrant, UserGrantPage } from '@grantkit/core'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import type { AccountDirectory, AccountEntry } from '../accounts/account-directory.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { TrailReader } from '../audit/trail-reader.ts'
import { seeOther } from '../http/bodies-and-answers.ts'
import { type Markup, pointInTime, type Site } from '../pages/page.ts'
import type { WaysToSignIn } from '../sign-in/ways-to-sign-in.ts'
import { addressOf, adminPage, buttonForm, facts, pageLinks, parameter, signInAgain } from './admin-page.ts'
import type { OperatorVisit, OperatorVisits, Show } from './operator-visits.ts'
import { trailEntries } from './trail-entries.ts'

export interface UserPageOptions {
  readonly site: Site
  readonly directory: AccountDirectory
  readonly accounts: AccountRows
  readonly ways: Pick<WaysToSignIn, 'passkeys' | 'identities'>
  readonly grants: AuthorizationServer['grants']
  readonly trail: TrailReader
}

const SIGN_INS = ['sign_in_succeeded', 'sign_in_failed']
const SHOWN_SIGN_INS = 5
const OWN_ACCOUNT = 'This is your own account. Another admin or a command has to disable it.'

/**
 * A user: the account, its sign-in methods, its grants and sign-ins, and the forms to revoke grants and disable the
 * account.
 */
export function userPage(options: UserPageOptions, visits: OperatorVisits) {
  const { site, directory, accounts, grants } = options
  const show = showUser(options)
  const back = (c: Context, id: string) => seeOther(c, addressOf(`${site.basePath}/admin/user`, { id }))
  return {
    show: visits.page(show),
    change: visits.form(show, async (c, visit, { action, grant = '' }) => {
      const account = await directory.find(parameter(c, 'id') ?? '')
      if (account === undefined) return show(c, visit)
      const { id } = account
      if (action === 'end_grant') await grants.revoke(id, grant, 'operator')
      if (action === 'end_grants') await grants.revokeAll(id, { by: 'operator' })
      if (action === 'enable') await accounts.setDisabled(id, false)
      if (action === 'disable') {
        if (id === visit.account.id) return show(c, visit, OWN_ACCOUNT)
        await accounts.setDisabled(id, true)
        // The account is disabled first, so that no consent can open another grant.
        await grants.revokeAll(id)
      }
      return back(c, id)
    }),
  }
}

function showUser({ site, directory, ways, grants, trail }: UserPageOptions): Show {
  return async (c, visit, problem) => {
    const id = parameter(c, 'id') ?? ''
    const account = await directory.find(id)
    const [passkeys, identities, allowed, signIns] = await Promise.all([
      ways.passkeys.list(id),
      ways.identities.list(id),
      grants.list(id, { after: parameter(c, 'after') }),
      trail.page({ subject: id, types: SIGN_INS }, SHOWN_SIGN_INS),
    ])
    const password = account?.hasPassword ? ['password'] : []
    const methods = [
      ...password,
      ...passkeys.map(({ name }) => `passkey ${name}`),
      ...identities.map(shownAs),
    ]
    const main = html`
${account === undefined ? html`<p>No account has this id. It may have been removed.</p>` : accountCard(account, methods, visit)}
${signInAgain(site, c, visit)}
${grantsSection(site, c, allowed, visit)}
<h2 class="part">Recent sign-ins</h2>
${trailEntries(site, signIns.entries)}
<p><a href="${addressOf(`${site.basePath}/admin/trail`, { user: id })}">All that the trail has of this user</a></p>`
    const status = problem === undefined && account === undefined ? 404 : undefined
    return adminPage(site, {
      title: account === undefined ? 'Unknown user' : (account.email ?? 'User without an address'),
      main,
      problem,
      ...(status && { status }),
    })
  }
}

function addressSource({ emailSource = 'unknown', emailSince }: AccountEntry): Markup {
  return html`${emailSource}${emailSince === undefined ? '' : html`, ${pointInTime(Date.parse(emailSince) / 1000)}`}`
}

function shownAs({ issuer, shownAs: name }: { readonly issuer: string; readonly shownAs: string }): string {
  return `${name} at ${issuer}`
}

function accountCard(account: AccountEntry, methods: readonly string[], visit: OperatorVisit): Markup {
  const { id, name, email, state, admin, addedAt } = account
  const disabled = state === 'disabled'
  const fields = { action: disabled ? 'enable' : 'disable' }
  const button = disabled
    ? html`<button>Enable</button>`
    : html`<button class="danger">Disable, and end all grants</button>`
  return html`
<section class="card" aria-label="Account">
  <p class="app-name"><bdi>${name}</bdi></p>
  ${facts([
    ['Id', html`<code>${id}</code>`],
    ...(email === undefined ? [] : [['Address from', addressSource(account)] as const]),
    ['State', `${state}${admin ? ', admin' : ''}`],
    ['Signs in by', methods.length === 0 ? 'nothing' : methods.join(', ')],
    ['Added', pointInTime(Date.parse(addedAt) / 1000)],
  ])}
  ${buttonForm(fields, button, visit)}
</section>`
}

function grantsSection(site: Site, c: Context, page: UserGrantPage, visit: OperatorVisit): Markup {
  const { grants, next } = page
  const query = { id: parameter(c, 'id'), after: parameter(c, 'after') }
  const isAll = query.after === undefined && next === undefined
  const all = html`<button class="danger">End all grants</button>`
  return html`
<h2 class="part">Grants</h2>
${isAll && grants.length === 0 ? html`<p>No app can do anything in this user's name.</p>` : ''}
${grants.map((grant) => grantCard(site, grant, visit))}
${pageLinks(`${site.basePath}/admin/user`, query, next)}
${isAll && grants.length < 2 ? '' : buttonForm({ action: 'end_grants' }, all, visit)}`
}

function grantCard({ basePath }: Site, grant: UserGrant, visit: OperatorVisit): Markup {
  const { id, clientId, client, scopes, createdAt, usedAt, expiresAt } = grant
  const name =
    client?.clientName ?? (client === undefined ? 'A client that is gone' : 'A client without a name')
  const button = html`<button class="danger">End<span class="unseen"> the grant of ${name}</span></button>`
  return html`
<article class="card">
  <h3 class="app-name"><bdi>${name}</bdi></h3>
  ${facts([
    ['Client', html`<a href="${addressOf(`${basePath}/admin/client`, { id: clientId })}">${clientId}</a>`],
    ['Scopes', scopes.join(', ')],
    ['Began', pointInTime(createdAt)],
    ['Last used', pointInTime(usedAt)],
    ['Ends by', pointInTime(expiresAt)],
  ])}
  ${buttonForm({ action: 'end_grant', grant: id }, button, visit)}
</article>`
}
