import type { Revised } from './record.ts'

/** The entity tag of a record (RFC 9110 8.8.3). It is strong: every change creates a new one. */
export function etagOf({ revision }: Revised): string {
  return `"${revision}"`
}

/** Whether a record matches `If-Match`, by strong comparison (RFC 9110 13.1.1). */
export function isExpected(ifMatch: string | undefined, seen: Revised): boolean {
  const expected = ifMatch?.trim() ?? ''
  if (expected === '' || expected === '*') return true
  return expected.split(',').some((tag) => tag.trim() === etagOf(seen))
}
