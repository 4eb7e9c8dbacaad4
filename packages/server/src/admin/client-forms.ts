import type { PublicClient, RotatedSecret } from '@grantkit/core'
import { clientRevision } from '@grantkit/core/internal'
import { html } from '@grantkit/pages'
import type { Markup } from '../http/page.ts'
import { DAY_SECONDS } from '../time-units.ts'
import { buttonForm } from './admin-page.ts'
import type { OperatorVisit } from './operator-visits.ts'
import { momentOf } from './times.ts'

/** The forms that change a client and its secret. Without a token an operator sees none of them. */

const OVERLAPS = [
  { days: 1, text: 'ends in a day' },
  { days: 7, text: 'ends in 7 days' },
  { days: 30, text: 'ends in 30 days' },
  { days: 0, text: 'ends now, because it leaked' },
]

/** The secrets of a confidential client. */
export function secretForms(client: PublicClient, visit: OperatorVisit): Markup {
  const { clientSecretExpiresAt, oldSecretEndsAt = 0 } = client
  const ends =
    clientSecretExpiresAt === undefined ? 'has no end' : html`ends ${momentOf(clientSecretExpiresAt)}`
  const older = html`<p>The older secret ends ${momentOf(oldSecretEndsAt)}. The trail shows whether it is still used.</p>
  ${buttonForm({ action: 'drop_old_secret' }, html`<button class="danger">End the older secret now</button>`, visit)}`
  return html`
<h2 class="part">Secret</h2>
<p>Its newest secret ${ends}.</p>
${oldSecretEndsAt * 1000 > Date.now() ? older : rotationForm(visit)}`
}

function rotationForm(visit: OperatorVisit): Markup {
  return html`${buttonForm(
    { action: 'rotate_secret' },
    html`<label>The secret in use <select name="overlap">${OVERLAPS.map(
      ({ days, text }) => html`<option value="${String(days * DAY_SECONDS)}">${text}</option>`,
    )}</select></label> <button>Make a new secret</button>`,
    visit,
  )}`
}

/** Shown once: only its hash is kept. */
export function newSecretCard({ clientSecret, oldSecretEndsAt }: RotatedSecret): Markup {
  const older = oldSecretEndsAt === undefined ? 'has ended' : html`ends ${momentOf(oldSecretEndsAt)}`
  return html`
<section class="card" aria-label="New secret">
  <p>The new secret is shown this once. The older one ${older}.</p>
  <p><code>${clientSecret}</code></p>
</section>`
}

/** The members that change most often; the others change by command or by the admin API. */
export function updateForm(client: PublicClient, { token }: OperatorVisit): Markup {
  if (token === undefined || client.origin !== 'integration') return html``
  const { clientName = '', redirectUris, scopes, clientCredentialsScopes } = client
  const lines = (values: readonly string[] = []) => values.join('\n')
  const scopeField = html`
  <label for="scopes">Scopes, one in a line</label>
  <p class="hint">${scopes === undefined ? 'It may request every scope but admin:read and admin:write. Lines here limit it to these.' : 'It may request these.'}</p>
  <textarea id="scopes" name="scopes" rows="4">${lines(scopes)}</textarea>`
  return html`
<h2 class="part">Change</h2>
<form method="post" class="card">
  <input type="hidden" name="token" value="${token}">
  <input type="hidden" name="action" value="update">
  <input type="hidden" name="revision" value="${clientRevision(client)}">
  <label for="client-name">Name</label>
  <input id="client-name" name="client_name" value="${clientName}" required>
  <label for="redirect-uris">Redirect URIs, one in a line</label>
  <textarea id="redirect-uris" name="redirect_uris" rows="4">${lines(redirectUris)}</textarea>
  ${clientCredentialsScopes === undefined ? scopeField : ''}
  <div class="actions"><button>Save</button></div>
</form>`
}
