import type { AuthorizationServer } from '@grantkit/core'
import { formatReference, type Party } from '@grantkit/explain'
import { html } from '@grantkit/pages'
import type { AttemptReader, ReadAttempt } from '../attempts/attempt-reader.ts'
import { DAY_MS } from '../config/time-units.ts'
import { type Markup, pageResponse, pointInTime, type Site } from '../http/page.ts'

/** What users see of sign-ins that failed: a page for everyone, and a section of the account page. */

const SHOWN = 5
const DAYS = 14

/** What a user may know: the verdict is for the operator. */
const CAUSES: Readonly<Record<Party, string>> = {
  app: 'The app made a mistake.',
  operator: 'This service is not set up for this app.',
  user: 'It was not finished in time, or was ended.',
  network: 'The app and this service did not reach each other.',
  server: 'This service had a fault.',
  none: '',
}

type FindClient = AuthorizationServer['clients']['find']

export interface FailureSources {
  readonly attempts: AttemptReader
  readonly findClient: FindClient
}

/** Empty if nothing has failed, and without what the user decided. */
export async function failuresSection(
  { attempts, findClient }: FailureSources,
  subject: string,
): Promise<Markup | ''> {
  const since = new Date(Date.now() - DAYS * DAY_MS).toISOString()
  const latest = await attempts.latestFailures({ subject, since }, 2 * SHOWN)
  const failures = latest.filter(({ verdict }) => verdict.id !== 'consent_denied').slice(0, SHOWN)
  if (failures.length === 0) return ''
  const names = await Promise.all(failures.map(({ clientId }) => clientId && nameOf(findClient, clientId)))
  return html`
<h2 class="part">Sign-ins that failed</h2>
<section class="card" aria-label="Sign-ins that failed">
  <ul class="entries">${failures.map((failure, at) => html`<li>${entry(failure, names[at])}</li>`)}</ul>
</section>
<p class="hint">Give the reference to whoever runs this service, who can find out what went wrong.</p>`
}

function entry({ reference, steps, verdict }: ReadAttempt, name = 'An app'): Markup {
  return html`<bdi>${name}</bdi>, ${pointInTime(steps.at(-1)?.at ?? 0)}. ${CAUSES[verdict.by]} Reference <code>${formatReference(reference)}</code>`
}

async function nameOf(findClient: FindClient, clientId: string): Promise<string | undefined> {
  return (await findClient(clientId))?.clientName
}

/** What a reference is for. The same for every reference: there is no public look-up. */
export function whyPage(site: Site): Response {
  const main = html`
<h1>Why did it not work?</h1>
<p>The error of your app ends with a reference, such as <code>(ref 7K3M-Q2WD)</code>. Give it to the operator of this service, who can look up what went wrong. Nobody else can: the reference is no secret.</p>
<p>You can also see what failed for you in <a href="${site.basePath}/account">your account</a>.</p>`
  return pageResponse(site, { title: 'Why did it not work?', main, formAction: ["'self'"] })
}
