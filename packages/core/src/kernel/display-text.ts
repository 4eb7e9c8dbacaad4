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

/**
 * Invisible characters that belong to what is written: a joiner between two letters of such a script, a joiner between two emoji,
 * and the selector that makes an emoji of a symbol.
 */
const NEEDED = [
  `(?<=[${JOINING}])[\\u200c\\u200d](?=[${JOINING}])`,
  '(?<=\\p{ExtPict}[\\ufe0f\\p{EMod}]?)\\u200d(?=\\p{ExtPict})',
  '(?<=\\p{ExtPict})\\ufe0f',
  '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
].join('|')
const NEEDED_OR_INVISIBLE = new RegExp(`(${NEEDED})|${INVISIBLE.source}`, 'gu')

/**
 * Marks above and below one character: two that go with every script, five of its own. Burmese needs as many; more than
 * that paints over the lines around it.
 */
const PILED_MARKS = /(\p{Script=Inherited}{2})\p{Script=Inherited}+|(\p{M}{5})\p{M}+/gu

/**
 * One line of text for a page: in NFC, with single spaces, without characters that are invisible or turn the text
 * around, and without piles of combining marks. The joiners of emoji and of scripts that need them stay. It needs the page's escaping all the same.
 *
 * @example
 * ```ts
 * import { displayText } from '@grantkit/core/feature'
 *
 * export const shownName = displayText('Free\u2800\u2800course\u202e')
 * ```
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
 *
 * @example
 * ```ts
 * import { type Client, terminalText } from '@grantkit/core/feature'
 *
 * export const lineOf = ({ clientId, clientName = '' }: Client) => terminalText(`${clientId}  ${clientName}`)
 * ```
 */
export function terminalText(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(''),
  )
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
