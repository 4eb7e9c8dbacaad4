import type { InitialAccessToken } from '@grantkit/core'
import { html } from '@grantkit/pages'
import type { Markup } from '../http/page.ts'
import type { OperatorVisit } from './operator-visits.ts'
import { momentOf } from './times.ts'

/** The form that makes an initial access token. Without a token of the page an operator does not see it. */
export function newTokenForm({ token }: OperatorVisit): Markup {
  if (token === undefined) return html``
  return html`
<h2 class="part">New token</h2>
<form method="post" class="card">
  <input type="hidden" name="token" value="${token}">
  <input type="hidden" name="action" value="add">
  <label for="label">For whom it is</label>
  <input id="label" name="label" maxlength="60" required>
  <label for="uses">How many clients may register with it</label>
  <input id="uses" name="uses" type="number" min="1" max="10000" value="1" required>
  <label for="days">Days that it is valid</label>
  <input id="days" name="days" type="number" min="1" max="366" value="1" required>
  <label for="scopes">Scopes, one in a line</label>
  <p class="hint">All that its clients may ever request. Without a line they may request every scope but <code>admin:read</code> and <code>admin:write</code>.</p>
  <textarea id="scopes" name="scopes" rows="3"></textarea>
  <div class="actions"><button class="primary">Make a token</button></div>
</form>`
}

/** Shown once: only its hash is kept. */
export function newTokenCard({ token, expiresAt }: InitialAccessToken): Markup {
  return html`
<section class="card" aria-label="New token">
  <p>The token is shown this once. It ends ${momentOf(expiresAt)}.</p>
  <p><code>${token}</code></p>
</section>`
}
