import { html, type SafeHtml } from '@remix-run/html-template'
import { type Language, onceForEach } from '../language.ts'

const STYLE = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const

/** English of Britain: the day before the month, and 24 hours, as most readers of English write it. */
const wordsOf = onceForEach((tag) => new Intl.DateTimeFormat(tag === 'en' ? 'en-GB' : tag, STYLE))

const daysOf = onceForEach(
  (tag) => new Intl.DateTimeFormat(tag === 'en' ? 'en-GB' : tag, { dateStyle: 'long', timeZone: 'UTC' }),
)

/** "15 December 2026". @param day `2026-12-15` */
export function dayInWords({ tag }: Pick<Language, 'tag'>, day: string): string {
  return daysOf(tag).format(new Date(day))
}

/** With its zone: without a script the zone of the reader is unknown. @param seconds since the epoch */
export function pointInTime({ tag }: Pick<Language, 'tag'>, seconds: number): SafeHtml {
  const time = new Date(seconds * 1000)
  return html`<time datetime="${time.toISOString()}">${wordsOf(tag).format(time)} UTC</time>`
}
