import { html, type SafeHtml } from '@remix-run/html-template'
import type { Language } from '../language.ts'

/** With its zone: without a script the zone of the reader is unknown. @param seconds since the epoch */
export function pointInTime({ tag }: Language, seconds: number): SafeHtml {
  const time = new Date(seconds * 1000)
  const words = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  return html`<time datetime="${time.toISOString()}">${words.format(time)} UTC</time>`
}
