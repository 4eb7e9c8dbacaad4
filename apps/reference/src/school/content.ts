import type { RecordSchema } from './schemas.ts'

/** The members of a record without its id. */
export type Content = Readonly<Record<string, unknown>>

const MAX_CHARACTERS = 1000

/** The valid members, or a sentence with all faults. */
export function readContent(schema: RecordSchema, input: unknown): { content: Content } | { faults: string } {
  const parsed = schema.safeParse(input, {
    error: ({ input }) => (input === undefined ? 'is missing' : null),
  })
  if (parsed.success) return { content: parsed.data }
  const faults = parsed.error.issues.map(({ path, message }) => [path.join('.'), message].join(' ').trim())
  return { faults: printable(faults.join('; ')) }
}

/** A record with a merge patch (RFC 7396): `null` removes a member. */
export function merged(content: Content, change: Content): Content {
  const members = Object.entries({ ...content, ...change }).filter(([, value]) => value !== null)
  return Object.fromEntries(members)
}

/**
 * The characters that an error_description allows (RFC 6749 5.2). The names of unknown members are input of the caller.
 */
function printable(text: string): string {
  return text
    .replace(/["\\]/g, "'")
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, MAX_CHARACTERS)
}
