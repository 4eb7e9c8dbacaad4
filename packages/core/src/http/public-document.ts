import { sha256 } from '../kernel/secrets.ts'
import { type HttpRequest, type HttpResponse, header, JSON_TYPE } from './http.ts'

/**
 * A public document: serialized once, cached for `maxAge` seconds, and revalidated by a strong validator over its bytes
 * (RFC 9110 8.8.3 and 13.1.2).
 */
export function publicDocument(content: object, maxAge = 3600): (request: HttpRequest) => HttpResponse {
  const body = JSON.stringify(content)
  const validators = { 'cache-control': `public, max-age=${maxAge}`, etag: `"${sha256(body)}"` }
  const full: HttpResponse = { status: 200, headers: { ...JSON_TYPE, ...validators }, body }
  const unchanged: HttpResponse = { status: 304, headers: validators, body: '' }
  return (request) => (isKnown(request, validators.etag) ? unchanged : full)
}

function isKnown(request: HttpRequest, etag: string): boolean {
  const known = (header(request, 'if-none-match') ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes('*')
}
