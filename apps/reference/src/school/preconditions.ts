import type { Revised } from './record.ts'

/** The entity tag of a record (RFC 9110 8.8.3). It is strong: every change gives another one. */
export function etagOf({ revision }: Revised): string {
  return `"${revision}"`
}

/** Whether a record is one that `If-Match` wants changed: the strong comparison (RFC 9110 13.1.1). */
export function isExpected(ifMatch: string | undefined, seen: Revised): boolean {
  const expected = ifMatch?.trim() ?? ''
  if (expected === '' || expected === '*') return true
  return expected.split(',').some((tag) => tag.trim() === etagOf(seen))
}
