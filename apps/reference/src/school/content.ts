import type { RecordSchema } from './schemas.ts'

/** The members of a record but its id. */
export type Content = Readonly<Record<string, unknown>>

const MAX_CHARACTERS = 1000

/** Members that are right, or a sentence with everything that is wrong with them. */
export function readContent(schema: RecordSchema, given: unknown): { content: Content } | { faults: string } {
  const parsed = schema.safeParse(given, {
    error: ({ input }) => (input === undefined ? 'is missing' : null),
  })
  if (parsed.success) return { content: parsed.data }
  const faults = parsed.error.issues.map(({ path, message }) => [path.join('.'), message].join(' ').trim())
  return { faults: printable(faults.join('; ')) }
}

/** A record with a change (RFC 7396): `null` takes a member away. */
export function merged(content: Content, change: Content): Content {
  const members = Object.entries({ ...content, ...change }).filter(([, value]) => value !== null)
  return Object.fromEntries(members)
}

/** What an error_description may hold (RFC 6749 5.2). The names of unknown members are the caller's. */
function printable(text: string): string {
  return text
    .replace(/["\\]/g, "'")
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, MAX_CHARACTERS)
}
