import { formatReference } from '@grantkit/explain'
import { fill, html, pointInTime } from '@grantkit/pages'
import type { ReadAttempt } from '../attempts/attempt-reader.ts'
import { DAY_MS } from '../config/time-units.ts'
import { type Markup, pageResponse } from '../http/page.ts'
import type { LocalSite, PageLanguage } from './page-language.ts'
import type { PageParts } from './parts.ts'

/** What users see of sign-ins that failed: a page for everyone, and a section of the account page. */

const SHOWN = 5
const DAYS = 14

/** Neither what the user decided nor a call with access that has ended is a sign-in that failed. */
const NO_FAILURES: readonly string[] = ['consent_denied', 'grant_ended', 'bearer_unknown']

/** The user has read why, and no app is part of it. */
function isRefusedSignIn({ steps }: ReadAttempt): boolean {
  const last = steps.at(-1)
  return last?.step === 'signed_in' && last.outcome !== 'ok'
}

/** Empty if nothing has failed. */
export async function failuresSection(
  { attempts, findClient }: PageParts,
  subject: string,
  language: PageLanguage,
): Promise<Markup | ''> {
  const since = new Date(Date.now() - DAYS * DAY_MS).toISOString()
  const latest = await attempts.latestFailures({ subject, since }, 4 * SHOWN)
  const failures = latest
    .filter((attempt) => !NO_FAILURES.includes(attempt.verdict.id) && !isRefusedSignIn(attempt))
    .slice(0, SHOWN)
  if (failures.length === 0) return ''
  const { failures: texts } = language
  const names = await Promise.all(failures.map(({ clientId }) => clientId && nameOf(findClient, clientId)))
  return html`
<h2 class="part">${texts.title}</h2>
<section class="card" aria-label="${texts.title}">
  <ul class="entries">${failures.map((failure, at) => html`<li>${entry(language, failure, names[at])}</li>`)}</ul>
</section>
<p class="hint">${texts.hint}</p>`
}

/** A user may know whose fault it was: the verdict is for the operator. */
function entry(
  language: PageLanguage,
  { reference, steps, verdict: { by } }: ReadAttempt,
  name = language.common.unnamedApp,
): Markup {
  const { failures, signIn } = language
  const code = html`<code>${formatReference(reference)}</code>`
  return html`<bdi>${name}</bdi>, ${pointInTime(language, steps.at(-1)?.at ?? 0)}. ${by === 'none' ? '' : failures[by]} ${fill(signIn.reference, { reference: code })}`
}

async function nameOf(findClient: PageParts['findClient'], clientId: string): Promise<string | undefined> {
  return (await findClient(clientId))?.clientName
}

/** What a reference is for. The same for every reference: there is no public look-up. */
export function whyPage(site: LocalSite): Response {
  const { start, stepUp } = site.language
  const account = html`<a href="${site.basePath}/account">${stepUp.account}</a>`
  const main = html`
<h1>${start.whyTitle}</h1>
<p>${fill(start.why, { example: html`<code>(ref 7K3M-Q2WD)</code>` })}</p>
<p>${fill(start.whyAccount, { account })}</p>`
  return pageResponse(site, { title: start.whyTitle, main, formAction: ["'self'"] })
}
