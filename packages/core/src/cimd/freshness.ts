/**
 * For how long a fetched document is good (RFC 9111 4.2). Response headers go in, seconds come out. A document decides
 * who gets codes, so no header makes it last longer than a day, and none makes this server fetch it at each request.
 */

const LEAST = 5 * 60
const MOST = 24 * 60 * 60
const BY_DEFAULT = 60 * 60

/** As in `DocumentFetchResponse`. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>

/**
 * How long a server keeps the document of a client before it asks the host again (RFC 9111 4.2): five minutes at least, a
 * day at most.
 *
 * @param headers by their names in lower case
 * @param now epoch seconds
 * @returns seconds; `undefined` if the document must not be kept beyond the request that fetched it
 *
 * @example
 * ```ts
 * import { freshFor } from '@grantkit/core'
 *
 * freshFor({ 'cache-control': 'max-age=3600' }, Date.now() / 1000) // 3600
 * freshFor({ 'cache-control': 'no-store' }, Date.now() / 1000) // undefined
 * ```
 */
export function freshFor(headers: ResponseHeaders, now: number): number | undefined {
  const directives = directivesOf(headers['cache-control'] ?? '')
  if (directives.has('no-store') || directives.has('private') || headers.vary?.includes('*')) return undefined
  return Math.min(Math.max(lifetimeOf(directives, headers, now), LEAST), MOST)
}

/** Values by name. A directive that is given twice says nothing (RFC 9111 4.2.1). */
function directivesOf(cacheControl: string): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>()
  for (const directive of cacheControl.split(',')) {
    const [name = '', value = ''] = directive.trim().toLowerCase().split('=')
    found.set(name, found.has(name) ? undefined : value)
  }
  return found
}

function lifetimeOf(
  directives: ReadonlyMap<string, string | undefined>,
  headers: ResponseHeaders,
  now: number,
): number {
  for (const name of ['s-maxage', 'max-age'])
    if (directives.has(name)) return (secondsOf(directives.get(name)) ?? 0) - (secondsOf(headers.age) ?? 0)
  if (headers.expires === undefined) return BY_DEFAULT
  const date = timeOf(headers.date) ?? now
  return (timeOf(headers.expires) ?? date) - date
}

function secondsOf(text: string | undefined): number | undefined {
  return /^[0-9]{1,10}$/.test(text ?? '') ? Number(text) : undefined
}

function timeOf(date: string | undefined): number | undefined {
  const time = Date.parse(date ?? '')
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000)
}
