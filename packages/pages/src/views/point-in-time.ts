import { html, type SafeHtml } from '@remix-run/html-template'
import { type Language, onceForEach } from '../language.ts'

const wordsOf = onceForEach(
  (tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
)

/** With its zone: without a script the zone of the reader is unknown. @param seconds since the epoch */
export function pointInTime({ tag }: Language, seconds: number): SafeHtml {
  const time = new Date(seconds * 1000)
  return html`<time datetime="${time.toISOString()}">${wordsOf(tag).format(time)} UTC</time>`
}
