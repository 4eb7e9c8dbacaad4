import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { type HttpRequest, header } from './http.ts'

export const BODY_ERRORS = defineErrors({
  media_type_unsupported: [
    'invalid_request',
    'The body has another media type than this endpoint reads',
    415,
  ],
  body_unreadable: ['invalid_request', 'The body could not be read'],
  body_too_large: ['invalid_request', 'The body is larger than 64 KiB', 413],
  parameters_too_many: ['invalid_request', 'The request has more than 100 parameters'],
})

/** No request needs more, and thousands of names take milliseconds to sort. */
const MAX_PARAMETERS = 100

/** Parameters by name. A repeated one is an array; one without a value is absent (RFC 6749 3.1). */
export type Parameters = Readonly<Record<string, string | string[]>>

/** The empty prototype of parameters: no name in a request hits an inherited member. A `null` prototype is slow. */
const NOTHING = Object.freeze(Object.create(null))

/** The pairs of `application/x-www-form-urlencoded` text. @throws OAuthError for more than 100 */
export function pairsOf(encoded: string): URLSearchParams {
  if (isTooMany(encoded)) throw new OAuthError(BODY_ERRORS.parameters_too_many)
  return new URLSearchParams(encoded)
}

/** Counts before anything is decoded or allocated, and no further than it must. */
function isTooMany(encoded: string): boolean {
  let separators = 0
  for (let at = encoded.indexOf('&'); at >= 0; at = encoded.indexOf('&', at + 1))
    if (++separators === MAX_PARAMETERS) return true
  return false
}

/**
 * Decodes `application/x-www-form-urlencoded` text, also from a query string.
 *
 * @throws OAuthError for more than 100
 *
 * @example
 * ```ts
 * import { parameters } from '@grantkit/core/feature'
 *
 * const { scope, resource } = parameters('scope=notes%3Aread&resource=a&resource=b')
 * // scope: 'notes:read', resource: ['a', 'b']
 * ```
 */
export function parameters(encoded: string): Parameters {
  const found: Record<string, string | string[]> = Object.create(NOTHING)
  pairsOf(encoded).forEach((value, name) => {
    const earlier = found[name]
    if (earlier === undefined) found[name] = value
    else if (typeof earlier === 'string') found[name] = [earlier, value]
    else earlier.push(value)
  })
  for (const name in found) if (found[name] === '') delete found[name]
  return found
}

export const FORM = 'application/x-www-form-urlencoded'

/**
 * The parameters of a form body.
 *
 * @throws OAuthError 415 for any other media type, 400 for more than 100.
 *
 * @example
 * ```ts
 * import type { HttpRequest } from '@grantkit/core'
 * import { formParameters } from '@grantkit/core/feature'
 *
 * export const nameIn = (request: HttpRequest) => formParameters(request).name
 * ```
 */
export function formParameters(request: HttpRequest): Parameters {
  requireMediaType(request, FORM)
  return parameters(request.body)
}

/** The value of a JSON body. @throws OAuthError 415 for any other media type, 400 for text that is not JSON. */
export function jsonBody(request: HttpRequest): unknown {
  requireMediaType(request, 'application/json')
  try {
    return JSON.parse(request.body)
  } catch {
    throw new OAuthError(BODY_ERRORS.body_unreadable, 'The body is not valid JSON')
  }
}

/** @throws OAuthError 415 for another media type, or for text that is not UTF-8 */
export function requireMediaType(request: HttpRequest, expected: string): void {
  const given = header(request, 'content-type') ?? ''
  if (given === expected) return
  const [essence = '', ...attributes] = given.toLowerCase().split(';')
  const charset = attributes
    .map((attribute) => attribute.trim())
    .find((attribute) => attribute.startsWith('charset='))
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (essence.trim() !== expected || !utf8) {
    throw new OAuthError(BODY_ERRORS.media_type_unsupported, `The body must be ${expected} in UTF-8`)
  }
}
