import { html } from '@grantkit/pages'
import type { AccountDirectory, AccountEntry } from '../accounts/account-directory.ts'
import type { Markup, Site } from '../http/page.ts'
import { addressOf, adminPage, pageLinks, parameter } from './admin-page.ts'
import { filterForm, textField } from './filter-form.ts'
import type { Show } from './operator-visits.ts'
import { table } from './table.ts'
import { momentOf } from './times.ts'

const SHOWN = 50

/** The users, ordered by address, and a search by the beginning of an address. */
export function usersPage(site: Site, directory: AccountDirectory): Show {
  const path = `${site.basePath}/admin/users`
  return async (c, visit) => {
    const [prefix, after] = [parameter(c, 'email'), parameter(c, 'after')]
    const { accounts, next } = await directory.page({ prefix, after }, SHOWN)
    const search = textField({ name: 'email', label: 'E-mail address, or how it begins', value: prefix })
    const main = html`
${filterForm(path, [search], 'Search')}
${accounts.length === 0 ? html`<p>No user has such an address.</p>` : userTable(site, accounts)}
${pageLinks(path, { email: prefix, after }, next)}`
    return adminPage(site, visit, { title: 'Users', section: '/users', main })
  }
}

function userTable({ basePath }: Site, accounts: readonly AccountEntry[]): Markup {
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
      { head: 'Password', cell: ({ hasPassword }) => (hasPassword ? 'yes' : 'none') },
      { head: 'Added', cell: ({ addedAt }) => momentOf(Date.parse(addedAt) / 1000) },
      { head: 'Audit trail', cell: events },
    ],
    accounts,
  )
}

export function stateOf({ state, admin }: AccountEntry): Markup {
  return html`<span class="badge ${state}">${state}</span>${admin ? html` <span class="badge admin">admin</span>` : ''}`
}
