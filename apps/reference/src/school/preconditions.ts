import type { HttpRequest } from '@grantkit/core'
import { headerOf } from '../http.ts'
import type { Revised } from './record.ts'

/** The entity tag of a record (RFC 9110 8.8.3). It is strong: every change gives another one. */
export function etagOf({ revision }: Revised): string {
  return `"${revision}"`
}

/** Whether a record is one that the request wants changed: `If-Match` with the strong comparison (RFC 9110 13.1.1). */
export function isExpected(request: HttpRequest, seen: Revised): boolean {
  const expected = headerOf(request, 'if-match').trim()
  if (expected === '' || expected === '*') return true
  return expected.split(',').some((tag) => tag.trim() === etagOf(seen))
}
