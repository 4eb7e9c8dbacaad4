import { html, type SafeHtml } from '@remix-run/html-template'
import type { en } from './languages/en.ts'

/** One text for each form that the language has for a count. `{count}` is the number. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** Translations of texts in English: strings, plurals and groups of them. */
export type Texts<English> = {
  readonly [Name in keyof English]: English[Name] extends string
    ? string
    : English[Name] extends Plural
      ? Plural
      : English[Name] extends boolean
        ? boolean
        : Texts<English[Name]>
}

/**
 * Every text of the pages in one language: the members of `en`. Spread one to change a text:
 * `{ ...de, consent: { ...de.consent, title: 'Zugang erlauben?' } }`.
 */
export interface Language extends Texts<typeof en> {
  /** BCP 47. */
  readonly tag: string
  /** In the language itself. */
  readonly name: string
  /** Default `ltr`. */
  readonly dir?: 'ltr' | 'rtl' | undefined
}

/** A text with markup or escaped text in place of its `{placeholders}`. */
export function fill(text: string, values: Readonly<Record<string, SafeHtml | string>>): SafeHtml {
  const parts = text.split(/\{(\w+)\}/)
  return html`${parts.map((part, at) => (at % 2 === 0 ? part : (values[part] ?? '')))}`
}

/** The same as text, where no markup may stand. */
export function fillText(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '')
}

/**
 * Creates a formatter once for each language. A new one costs more than the rest of a page, and a garbage collection that
 * frees thousands of them holds up all requests for 150 ms.
 */
export function onceForEach<Formatter>(create: (tag: string) => Formatter): (tag: string) => Formatter {
  const created = new Map<string, Formatter>()
  return (tag) => {
    const formatter = created.get(tag) ?? create(tag)
    created.set(tag, formatter)
    return formatter
  }
}

const pluralRulesOf = onceForEach((tag) => new Intl.PluralRules(tag))
const numbersOf = onceForEach((tag) => new Intl.NumberFormat(tag))
const listsOf = onceForEach((tag) => new Intl.ListFormat(tag, { type: 'conjunction' }))
const relativeTimesOf = onceForEach((tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }))

/** The form of a text for this number. */
export function counted({ tag }: Language, text: Plural, count: number): string {
  const form = text[pluralRulesOf(tag).select(count)] ?? text.other
  return form.replaceAll('{count}', numbersOf(tag).format(count))
}

/** "See your notes and change them". */
export function listed({ tag, lowerCaseInLists }: Language, texts: readonly string[]): string {
  const inside = lowerCaseInLists ? texts.map((text, at) => (at === 0 ? text : lowerFirst(text, tag))) : texts
  return listsOf(tag).format(inside)
}

/** "20 seconds ago", or "now". */
export function ago({ tag }: Language, seconds: number): string {
  const format = relativeTimesOf(tag)
  return seconds < 60 ? format.format(-seconds, 'second') : format.format(-Math.floor(seconds / 60), 'minute')
}

/** An abbreviation or a brand at the start of a text keeps its capitals. */
function lowerFirst(text: string, tag: string): string {
  return /^\p{Lu}\p{Ll}*(?!\p{L})/u.test(text) ? text.charAt(0).toLocaleLowerCase(tag) + text.slice(1) : text
}
