import type { UserGrant, UserGrantPage } from '@grantkit/core'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import type { AccountEntry } from '../accounts/account-directory.ts'
import type { UserSession } from '../accounts/sessions.ts'
import { ORIGIN } from '../accounts/users/users.ts'
import type { Markup, Site } from '../http/page.ts'
import type { Operator } from '../operator/operator.ts'
import {
  type AdminOptions,
  addressOf,
  adminPage,
  buttonForm,
  facts,
  filterForm,
  momentOf,
  type OperatorVisit,
  type OperatorVisits,
  pageLinks,
  parameter,
  problemOf,
  type Show,
  table,
  textField,
  toSignInAgain,
} from './admin-page.ts'
import { trailTable } from './trail-page.ts'

const SHOWN_ENTRIES = 10

/**
 * A user: the account, its sign-in methods, its grants and sign-ins, and the forms to revoke grants and disable the
 * account.
 */
export function userPage(options: AdminOptions, visits: OperatorVisits) {
  const { operator, directory } = options
  const show = showUser(options)
  return {
    show: visits.page(show),
    change: visits.form(show, async (c, visit, fields) => {
      const account = await directory.find(parameter(c, 'id') ?? '')
      if (account === undefined) return show(c, visit)
      return userAction(operator, account.id, fields).catch((error) => show(c, visit, problemOf(error)))
    }),
  }
}

/** Does what a form of the user page asks for. */
async function userAction(
  { grants, users }: Operator,
  id: string,
  { action, grant = '', session = '' }: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  switch (action) {
    case 'end_grant':
      return (await grants.end(id, grant)) ? 'The grant has ended.' : undefined
    case 'end_grants':
      await grants.endAll(id)
      return 'All grants have ended.'
    case 'end_session':
      await users.endSession(id, session)
      return 'The user is signed out in that browser.'
    case 'enable':
      await users.enable(id)
      return 'The account is enabled.'
    case 'disable':
      await users.disable(id)
      return 'The account is disabled, and its grants have ended.'
    default:
      return undefined
  }
}

function showUser(options: AdminOptions): Show {
  const { site, operator, directory, ways, trail } = options
  return async (c, visit, problem) => {
    const id = parameter(c, 'id') ?? ''
    const account = await directory.find(id)
    const [passkeys, identities, sessions, allowed, { items: entries }] = await Promise.all([
      ways.passkeys.list(id),
      ways.identities.list(id),
      operator.users.sessions(id),
      operator.grants.list(id, { after: parameter(c, 'after') }),
      trail.page({ subject: id }, SHOWN_ENTRIES),
    ])
    const password = account?.hasPassword ? ['password'] : []
    const methods = [
      ...password,
      ...passkeys.map(({ name }) => `passkey ${name}`),
      ...identities.map(({ issuer, shownAs }) => `${shownAs} at ${placeOf(issuer, options)}`),
    ]
    const main = html`
${account === undefined ? html`<p>No account has this id. It may have been removed.</p>` : accountCard(account, methods, visit)}
${toSignInAgain(site, c, visit)}
${sessions.length === 0 ? '' : sessionTable(sessions, visit)}
${grantsSection(site, c, allowed, visit)}
<h2 class="part">In the audit trail</h2>
${await trailTable(options, entries)}
<p><a href="${addressOf(`${site.basePath}/admin/trail`, { user: id })}">All entries of this user</a></p>`
    const status = problem === undefined && account === undefined ? 404 : undefined
    return adminPage(site, visit, {
      section: '/users',
      title: account === undefined ? 'Unknown user' : (account.email ?? account.name) || id,
      main,
      hasTimes: account !== undefined || [sessions, allowed.grants, entries].some(({ length }) => length > 0),
      problem,
      ...(status && { status }),
    })
  }
}

function addressSource({ emailSource = 'unknown', emailSince }: AccountEntry): Markup {
  return html`${emailSource}${emailSince === undefined ? '' : html`, ${momentOf(Date.parse(emailSince) / 1000)}`}`
}

/** Where an identity signs in. */
function placeOf(issuer: string, { external }: AdminOptions): string {
  if (issuer !== ORIGIN) return issuer
  return external === undefined ? 'a directory' : new URL(external.signIn.url).host
}

function accountCard(account: AccountEntry, methods: readonly string[], visit: OperatorVisit): Markup {
  const { id, name, email, state, addedAt } = account
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
    ['State', stateOf(account)],
    ['Signs in by', methods.length === 0 ? 'nothing' : methods.join(', ')],
    ['Added', momentOf(Date.parse(addedAt) / 1000)],
  ])}
  ${buttonForm(fields, button, visit)}
</section>`
}

/** Of addresses only the network is known. */
function sessionTable(sessions: readonly UserSession[], visit: OperatorVisit): Markup {
  const end = ({ id: session, device = 'an unknown browser' }: UserSession) => {
    const button = html`<button class="danger">Sign out<span class="unseen"> ${device}</span></button>`
    return buttonForm({ action: 'end_session', session }, button, visit)
  }
  const rows = table(
    'Signed in',
    [
      { head: 'Since', cell: ({ startedAt }) => momentOf(startedAt) },
      { head: 'By', cell: ({ signedInBy = 'unknown' }) => signedInBy },
      { head: 'Browser', cell: ({ device = 'unknown' }) => device },
      { head: 'Network', cell: ({ network = 'unknown' }) => html`<code>${network}</code>` },
      { head: 'Last used', cell: ({ usedAt }) => momentOf(usedAt) },
      { head: 'Change', cell: end },
    ],
    sessions,
  )
  return html`<h2 class="part">Signed in</h2>${rows}`
}

function grantsSection(site: Site, c: Context, page: UserGrantPage, visit: OperatorVisit): Markup {
  const { grants, next } = page
  const query = { id: parameter(c, 'id'), after: parameter(c, 'after') }
  const isAll = query.after === undefined && next === undefined
  const all = html`<button class="danger">End all grants</button>`
  return html`
<h2 class="part">Grants</h2>
${isAll && grants.length === 0 ? html`<p>No app can do anything in this user's name.</p>` : grantTable(site, grants, visit)}
${pageLinks(`${site.basePath}/admin/user`, query, next)}
${isAll && grants.length < 2 ? '' : buttonForm({ action: 'end_grants' }, all, visit)}`
}

function grantTable({ basePath }: Site, grants: readonly UserGrant[], visit: OperatorVisit): Markup {
  const link = ({ clientId, client, origin, label }: UserGrant) =>
    // The page of its client is about the tokens of all users.
    origin === 'personal'
      ? html`Personal access token <bdi>${label}</bdi>`
      : html`<a href="${addressOf(`${basePath}/admin/client`, { id: clientId })}" title="${clientId}"><bdi>${nameOf(client)}</bdi></a>`
  const end = ({ id, client }: UserGrant) => {
    const button = html`<button class="danger">End<span class="unseen"> the grant of ${nameOf(client)}</span></button>`
    return buttonForm({ action: 'end_grant', grant: id }, button, visit)
  }
  const hasOrganizations = grants.some(({ terms }) => terms?.organization !== undefined)
  return table(
    'Grants',
    [
      { head: 'App', cell: link },
      { head: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
      ...(hasOrganizations ? [{ head: 'Organization', cell: organizationOf }] : []),
      { head: 'Began', cell: ({ createdAt }) => momentOf(createdAt) },
      { head: 'Last used', cell: ({ usedAt }) => momentOf(usedAt) },
      { head: 'Ends by', cell: ({ expiresAt }) => momentOf(expiresAt) },
      { head: 'Change', cell: end },
    ],
    grants,
  )
}

function organizationOf({ terms }: UserGrant): Markup {
  const { id, name = id } = terms?.organization ?? {}
  return html`<bdi title="${id}">${name}</bdi>`
}

function nameOf(client: UserGrant['client']): string {
  return client?.clientName ?? (client === undefined ? 'A client that is gone' : 'A client without a name')
}

const SHOWN = 50

/** The users, ordered by address, and a search by the beginning of an address. */
export function usersPage({ site, directory, ways }: AdminOptions): Show {
  const path = `${site.basePath}/admin/users`
  return async (c, visit) => {
    const [prefix, after] = [parameter(c, 'email'), parameter(c, 'after')]
    const { items: accounts, next } = await directory.page({ prefix, after }, SHOWN)
    const search = textField({
      name: 'email',
      label: 'E-mail address or how it begins, or the id of a user without one',
      value: prefix,
    })
    const main = html`
${filterForm(path, [search], 'Search')}
${accounts.length === 0 ? html`<p>No user has such an address.</p>` : userTable(site, accounts, ways.builtIn)}
${pageLinks(path, { email: prefix, after }, next)}`
    return adminPage(site, visit, { title: 'Users', section: '/users', main, hasTimes: accounts.length > 0 })
  }
}

/** @param hasPasswords whether the server signs the users in */
function userTable({ basePath }: Site, accounts: readonly AccountEntry[], hasPasswords: boolean): Markup {
  const link = ({ id, email }: AccountEntry) =>
    html`<a href="${addressOf(`${basePath}/admin/user`, { id })}" title="${id}"><bdi>${email ?? id}</bdi></a>`
  const events = ({ id }: AccountEntry) =>
    html`<a href="${addressOf(`${basePath}/admin/trail`, { user: id })}">Entries</a>`
  return table(
    'Users',
    [
      { head: 'User', cell: link },
      { head: 'Name', cell: ({ name }) => html`<bdi>${name}</bdi>` },
      { head: 'State', cell: stateOf },
      ...(hasPasswords
        ? [{ head: 'Password', cell: ({ hasPassword }: AccountEntry) => (hasPassword ? 'yes' : 'none') }]
        : []),
      { head: 'Added', cell: ({ addedAt }) => momentOf(Date.parse(addedAt) / 1000) },
      { head: 'Audit trail', cell: events },
    ],
    accounts,
  )
}

function stateOf({ state, admin }: AccountEntry): Markup {
  return html`<span class="badge ${state}">${state}</span>${admin ? html` <span class="badge admin">admin</span>` : ''}`
}
