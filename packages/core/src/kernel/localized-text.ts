/** A text in one language, or the same text by language tag (BCP 47): `{ en: 'Read notes', de: 'Notizen lesen' }`. */
export type LocalizedText = string | Readonly<Record<string, string>>

/**
 * A text in the language of a page. Without one: in the first language of `fallbacks` that has a text, then the first text.
 *
 * @param locale such as `view.locale`
 * @param fallbacks such as `Interaction.uiLocales`
 *
 * @example
 * ```ts
 * import { inLanguage } from '@grantkit/core/feature'
 *
 * inLanguage({ en: 'Read notes', de: 'Notizen lesen' }, 'de-AT') // 'Notizen lesen'
 * inLanguage({ en: 'Read notes', de: 'Notizen lesen' }, 'fr', ['de', 'en']) // 'Notizen lesen'
 * ```
 */
export function inLanguage(text: LocalizedText, locale: string, fallbacks: readonly string[] = []): string {
  if (typeof text === 'string') return text
  const languages = Object.keys(text)
  const found = [locale, ...fallbacks].map((range) => lookUpLanguage(range, languages))
  const language = found.find((tag) => tag !== undefined) ?? languages[0]
  return language === undefined ? '' : (text[language] ?? '')
}

/**
 * The tag for a language range (RFC 4647 3.4): `de-AT` finds `de`. More than the RFC, a range finds its first region too:
 * `pt` and `pt-PT` find `pt-BR`.
 */
export function lookUpLanguage(range: string, tags: readonly string[]): string | undefined {
  const parts = range.toLowerCase().split('-')
  while (parts.length > 0) {
    const prefix = parts.join('-')
    const found =
      tags.find((tag) => tag.toLowerCase() === prefix) ??
      tags.find((tag) => tag.toLowerCase().startsWith(`${prefix}-`))
    if (found !== undefined) return found
    parts.pop()
  }
  return undefined
}

/** @throws Error for an empty list, or one with what is no language tag (BCP 47): nothing would ever find it */
export function checkLanguages(option: string, tags: readonly string[]): void {
  if (tags.length === 0) throw new Error(`${option} must have a language`)
  const wrong = tags.find((tag) => !isLanguageTag(tag))
  if (wrong !== undefined) throw new Error(`${option}: "${wrong}" is no language tag, such as en or pt-BR`)
}

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}
