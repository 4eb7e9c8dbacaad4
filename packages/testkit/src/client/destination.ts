import type { HttpResponse } from '@grantkit/core'
import { formWith } from './consent-form.ts'
import { formEncoded } from './fields.ts'

/**
 * Where a browser goes on by itself: `Location` (RFC 9110 10.2.2), a page with `Refresh`, as before a private-use address, or a
 * form with the answer to a client, whose fields are the query then (OAuth 2.0 Form Post Response Mode 2).
 */
export function destinationOf(response: HttpResponse): string | undefined {
  const { headers } = response
  if (headers.location !== undefined) return String(headers.location)
  const [, url] = /^\s*\d+\s*;\s*url=(.+)$/i.exec(String(headers.refresh ?? '')) ?? []
  if (url !== undefined) return url
  // A signed answer has its issuer inside (JARM).
  const posted = formWith('iss', response) ?? formWith('response', response)
  return posted && `${posted.action}${posted.action.includes('?') ? '&' : '?'}${formEncoded(posted.fields)}`
}
