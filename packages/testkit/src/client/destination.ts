import type { HttpResponse } from '@grantkit/core'

/** Where a browser goes on by itself: `Location` (RFC 9110 10.2.2), or a page with `Refresh`, as before a private-use address. */
export function destinationOf({ headers }: Pick<HttpResponse, 'headers'>): string | undefined {
  if (headers.location !== undefined) return String(headers.location)
  const [, url] = /^\s*\d+\s*;\s*url=(.+)$/i.exec(String(headers.refresh ?? '')) ?? []
  return url
}
