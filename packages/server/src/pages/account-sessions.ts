import type { Session } from '@grantkit/core'
import { html } from '@grantkit/pages'
import type { SignIn } from '../audit/sign-in-history.ts'
import { type Markup, pointInTime } from '../http/page.ts'

/** The sections of the account page about where its user is signed in, and was. */

interface Shown {
  /** The latest sign-ins, the newest first. */
  readonly signIns: readonly SignIn[]
  /** Those of them whose session has not ended. */
  readonly active: readonly SignIn[]
  /** The one of this browser. */
  readonly session: Session
  readonly token: string
}

const SHOWN_EARLIER = 5

export function sessionSections(basePath: string, { signIns, active, session, token }: Shown): Markup {
  const isHere = ({ sessionId }: SignIn) => sessionId === session.id
  const here = signIns.find(isHere) ?? { sessionId: session.id, at: session.authTime }
  const elsewhere = active.filter((signIn) => !isHere(signIn))
  const earlier = signIns.filter((signIn) => !isHere(signIn) && !active.includes(signIn))
  return html`
<h2 class="part">Where you are signed in</h2>
<section class="card" aria-label="Where you are signed in">
  <ul class="entries">
    <li>${signInText(here)} · this browser</li>
    ${elsewhere.map((signIn) => html`<li class="session"><span>${signInText(signIn)}</span>${endForm(basePath, signIn, token)}</li>`)}
  </ul>
  <form method="post" action="${basePath}/account/sign-out" class="actions">
    <input type="hidden" name="token" value="${token}">
    <button>Sign out everywhere</button>
  </form>
</section>
${earlier.length === 0 ? '' : earlierSignIns(earlier.slice(0, SHOWN_EARLIER))}
<p class="hint">Of an address only its network is kept. Apps that you connected stay connected when you sign out, except those that end with your sign-in.</p>`
}

function earlierSignIns(signIns: readonly SignIn[]): Markup {
  return html`
<details class="card" id="earlier"><summary>Earlier sign-ins</summary>
  <ul>${signIns.map((signIn) => html`<li>${signInText(signIn)}</li>`)}</ul>
</details>`
}

function signInText({ at, network }: SignIn): Markup {
  return html`${pointInTime(at)}${network === undefined ? '' : html` from <code>${network}</code>`}`
}

function endForm(basePath: string, { sessionId, at }: SignIn, token: string): Markup {
  return html`<form method="post" action="${basePath}/account/sessions/end">
      <input type="hidden" name="token" value="${token}">
      <input type="hidden" name="session" value="${sessionId}">
      <button>Sign out<span class="unseen"> the browser of ${pointInTime(at)}</span></button>
    </form>`
}
