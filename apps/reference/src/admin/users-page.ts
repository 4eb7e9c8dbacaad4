import { html } from '@grantkit/pages'
import type { AccountDirectory, AccountEntry } from '../accounts/account-directory.ts'
import type { Markup, Site } from '../pages/page.ts'
import { addressOf, adminPage, pageLinks, parameter } from './admin-page.ts'
import type { Show } from './operator-visits.ts'

const SHOWN = 20

/** The users, ordered by address, and a search by the beginning of an address. */
export function usersPage(site: Site, directory: AccountDirectory): Show {
  const path = `${site.basePath}/admin/users`
  return async (c) => {
    const [prefix, after] = [parameter(c, 'email'), parameter(c, 'after')]
    const { accounts, next } = await directory.page({ prefix, after }, SHOWN)
    const main = html`
<form method="get" action="${path}" class="card">
  <label for="email">E-mail address, or how it begins</label>
  <input id="email" name="email" value="${prefix ?? ''}">
  <button class="primary">Search</button>
</form>
${accounts.length === 0 ? html`<p>Nobody has such an address.</p>` : list(site, accounts)}
${pageLinks(path, { email: prefix, after }, next)}`
    return adminPage(site, { title: 'Users', main })
  }
}

function list({ basePath }: Site, accounts: readonly AccountEntry[]): Markup {
  return html`
<section class="card" aria-label="Users">
  <ul class="entries">${accounts.map(
    ({ id, email, name, state, admin }) => html`
<li>
  <a href="${addressOf(`${basePath}/admin/user`, { id })}"><bdi>${email ?? id}</bdi></a>${admin ? mark('admin') : ''}${state === 'disabled' ? mark('disabled') : ''}
  <div class="hint"><bdi>${name}</bdi></div>
</li>`,
  )}</ul>
</section>`
}

function mark(word: string): Markup {
  return html` <span class="badge write">${word}</span>`
}
