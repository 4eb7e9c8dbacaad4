/** Text from clients and servers, made safe for its readers: users on a page, operators on a terminal. */

/** Control, format, private and unassigned characters, ends of lines, and letters and symbols without a shape. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]/gu

/** The scripts whose words need joiners: of letters that join, and of syllables. */
const JOINING = [
  ...['Arab', 'Syrc', 'Nkoo', 'Mong', 'Adlm', 'Rohg'],
  ...['Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh', 'Khmr', 'Mymr', 'Tibt'],
]
  .map((script) => `\\p{scx=${script}}`)
  .join('')

/** What is invisible and belongs to the text: joiners between letters of such a script and between emoji, selectors of emoji. */
const NEEDED = [
  `(?<=[${JOINING}])[\\u200c\\u200d](?=[${JOINING}])`,
  '(?<=\\p{ExtPict}[\\ufe0f\\p{EMod}]?)\\u200d(?=\\p{ExtPict})',
  '(?<=\\p{ExtPict})\\ufe0f',
  '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
].join('|')
const NEEDED_OR_INVISIBLE = new RegExp(`(${NEEDED})|${INVISIBLE.source}`, 'gu')

/** Two marks that go with every script, five of its own, as Burmese needs: more paints over the lines around the character. */
const PILED_MARKS = /(\p{Script=Inherited}{2})\p{Script=Inherited}+|(\p{M}{5})\p{M}+/gu

/**
 * One line of text for a page: in NFC, without what is invisible or turns the text around, and without piles of combining marks.
 * The page must escape it all the same.
 */
export function displayText(text: string): string {
  return text
    .replace(/[\s\u2800]+/gu, ' ')
    .replace(NEEDED_OR_INVISIBLE, '$1')
    .normalize('NFC')
    .replace(PILED_MARKS, '$1$2')
    .trim()
}

/**
 * Text for a terminal or a log, on one line: each invisible character is escaped as `\u202e`, so that it neither steers the
 * terminal nor begins a line. JSON stays the same JSON.
 */
export function terminalText(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** A text in one language, or the same text by language tag (BCP 47): `{ en: 'Read notes', de: 'Notizen lesen' }`. */
export type LocalizedText = string | Readonly<Record<string, string>>

/**
 * A text in the language of a page. Without one: in the first language of `fallbacks` that has a text, then the first text.
 *
 * @param locale such as `view.locale`
 * @param fallbacks such as `Interaction.uiLocales`
 */
export function inLanguage(text: LocalizedText, locale: string, fallbacks: readonly string[] = []): string {
  if (typeof text === 'string') return text
  const languages = Object.keys(text)
  const found = [locale, ...fallbacks].map((range) => lookUpLanguage(range, languages))
  const language = found.find((tag) => tag !== undefined) ?? languages[0]
  return language === undefined ? '' : (text[language] ?? '')
}

/** The tag for a language range (RFC 4647 3.4). More than the RFC, a range finds its first region too: `pt` finds `pt-BR`. */
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
  for (const tag of tags) {
    try {
      Intl.getCanonicalLocales([tag])
    } catch {
      throw new Error(`${option}: "${tag}" is no language tag, such as en or pt-BR`)
    }
  }
}
