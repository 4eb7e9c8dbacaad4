import { html } from '@grantkit/pages'
import type { Account } from '../accounts/accounts.ts'
import { type Markup, pointInTime, type Site } from '../http/page.ts'
import type { Passkey } from '../passkeys/passkey-rows.ts'
import type { WaysToSignIn } from '../sign-in/ways-to-sign-in.ts'
import type { LinkedIdentity } from '../upstream/identity-rows.ts'
import { passwordCard } from './change-password.ts'

/** The section of the account page about sign-in methods. */

export interface SignInMethods {
  readonly account: Account
  readonly passkeys: readonly Passkey[]
  readonly identities: readonly LinkedIdentity[]
  /** The token of the form for the password. */
  readonly pageToken: string
  /** Whether the sign-in takes the place of the current password. */
  readonly bySignIn: boolean
  /** The token of the other forms; absent if the user has to sign in again before a change. */
  readonly token: string | undefined
  /** Whether the user signed in strongly enough for a change. */
  readonly strong: boolean
}

export async function methodsOf(
  { passkeys, identities }: WaysToSignIn,
  account: Account,
  shown: Omit<SignInMethods, 'account' | 'passkeys' | 'identities'>,
): Promise<SignInMethods> {
  const [registered, linked] = await Promise.all([passkeys.list(account.id), identities.list(account.id)])
  return { account, passkeys: registered, identities: linked, ...shown }
}

export function signInMethods({ basePath }: Site, ways: WaysToSignIn, shown: SignInMethods): Markup {
  const { account, passkeys, identities, pageToken, bySignIn, token, strong } = shown
  const labels = new Map(ways.providers.map(({ provider }) => [provider.issuer, provider.label]))
  return html`
<h2 class="part" id="sign-in">How you sign in</h2>
${strong ? passwordCard(basePath, account, pageToken, bySignIn) : ''}
${passkeys.map((passkey) => passkeyCard(basePath, passkey, token))}
${identities.map((identity) => identityCard(basePath, labels.get(identity.issuer) ?? identity.issuer, identity, token))}
<p class="hint">Removing a way to sign in signs you out everywhere.</p>
${token === undefined ? signInAgain(basePath, strong) : html`${addPasskey(basePath, ways, token)}${connect(basePath, ways, shown, token)}`}`
}

function passkeyCard(
  basePath: string,
  { id, name, synced, addedAt, usedAt }: Passkey,
  token?: string,
): Markup {
  const use = usedAt === undefined ? 'not used yet' : html`last used ${pointInTime(usedAt / 1000)}`
  return html`
<section class="card" aria-label="Passkey ${name}">
  <p class="app-name">Passkey <bdi>${name}</bdi></p>
  <p class="hint">Added ${pointInTime(addedAt / 1000)}, ${use}. ${synced ? 'Kept on more than one device.' : 'Kept on one device.'}</p>
  ${remove(`${basePath}/account/passkeys/remove`, `Remove passkey ${name}`, { id }, token)}
</section>`
}

function identityCard(
  basePath: string,
  label: string,
  { issuer, identity, shownAs, addedAt }: LinkedIdentity,
  token?: string,
): Markup {
  return html`
<section class="card" aria-label="${label}">
  <p class="app-name">${label} <bdi>${shownAs}</bdi></p>
  <p class="hint">Connected ${pointInTime(addedAt / 1000)}.</p>
  ${remove(`${basePath}/account/identities/remove`, `Remove ${label}`, { issuer, identity }, token)}
</section>`
}

function remove(action: string, words: string, fields: Record<string, string>, token?: string): Markup {
  if (token === undefined) return html``
  return html`
  <form method="post" action="${action}" class="actions">
    <input type="hidden" name="token" value="${token}">
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    <button aria-label="${words}">Remove</button>
  </form>`
}

/** Shown by the script, if the browser has passkeys. */
function addPasskey(basePath: string, { ceremonies }: WaysToSignIn, token: string): Markup {
  if (ceremonies === undefined)
    return html`<p class="hint">Browsers offer no passkeys at this address: they need https, or the name <code>localhost</code>.</p>`
  return html`
<form method="post" action="${basePath}/account/passkeys" class="card" data-passkey="create" hidden>
  <input type="hidden" name="token" value="${token}">
  <input type="hidden" name="answer">
  <label for="passkey-name">Name of a new passkey</label>
  <input id="passkey-name" name="name" maxlength="60" required placeholder="My laptop">
  <button>Add a passkey</button>
</form>`
}

function connect(
  basePath: string,
  { providers }: WaysToSignIn,
  { identities }: SignInMethods,
  token: string,
): Markup {
  const open = providers.filter(
    ({ provider }) => !identities.some(({ issuer }) => issuer === provider.issuer),
  )
  return html`${open.map(
    ({ provider: { id, label } }) => html`
<form method="post" action="${basePath}/account/identities" class="other-way">
  <input type="hidden" name="token" value="${token}">
  <input type="hidden" name="provider" value="${id}">
  <button>Connect ${label}</button>
</form>`,
  )}`
}

function signInAgain(basePath: string, strong: boolean): Markup {
  const demand = strong ? {} : { acr_values: 'phr' }
  const query = String(new URLSearchParams({ return_to: `${basePath}/account`, prompt: 'login', ...demand }))
  return html`<p class="hint">To change this, <a href="${basePath}/login?${query}">sign in again</a>${strong ? '' : ' with your passkey'}.</p>`
}
