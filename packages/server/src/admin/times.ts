import { html } from '@grantkit/pages'
import type { Markup } from '../http/page.ts'

/** A time in UTC. The script of the page rewrites it in the time zone of the browser. @param seconds since the epoch */
export function momentOf(seconds: number): Markup {
  const iso = new Date(seconds * 1000).toISOString()
  return html`<time datetime="${iso}" title="${iso}">${MOMENT.format(seconds * 1000)} UTC</time>`
}

/** The same for a time of the trail, to the second. @param iso ISO 8601 in UTC */
export function exactMoment(iso: string): Markup {
  const text = EXACT.format(Date.parse(iso))
  return html`<time datetime="${iso}" data-exact title="${iso}">${text} UTC</time>`
}

/** Said once a page. The script replaces it. */
export const TIME_ZONE = html`<p class="hint" data-time-zone>Times are in UTC.</p>`

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })
