/**
 * The members of a record. Pages, documents and MCP show records to everybody, so a record that they cannot walk through
 * or write as text is an outage. That is why its depth, its size and the names of its members have bounds.
 */
export type Content = Readonly<Record<string, unknown>>

const MOST_LEVELS = 8
const MOST_CHARACTERS = 16_384
const NAME = /^[A-Za-z_][\w-]{0,63}$/

/** The bounds in words, for the caller. */
export const BOUNDS = `A record has at most ${MOST_CHARACTERS} characters of JSON and ${MOST_LEVELS} levels. The names of its members are words of at most 64 characters, and not those that every object has`

/** Whether a JSON object is within the bounds. */
export function isWithinBounds(content: Content): boolean {
  return isShallow(content, MOST_LEVELS) && JSON.stringify(content).length <= MOST_CHARACTERS
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  const named = Array.isArray(value) || Object.keys(value).every(isName)
  return levels > 0 && named && Object.values(value).every((member) => isShallow(member, levels - 1))
}

/** A member such as `toString` would hide the method of that name, and writing the record as text would throw. */
function isName(name: string): boolean {
  return NAME.test(name) && !(name in Object.prototype)
}
