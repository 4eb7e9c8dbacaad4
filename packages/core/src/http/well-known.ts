/** Addresses relative to an identifier: the issuer, or the URL of a resource. */

/** The path of an issuer without a trailing slash; empty if the issuer is an origin. */
export function basePathOf(issuer: string): string {
  return (/^https?:\/\/[^/]+(\/.*)?$/.exec(issuer)?.[1] ?? '').replace(/\/$/, '')
}

/**
 * The address of a path below the issuer, which may end in a slash of its own.
 *
 * @example
 * ```ts
 * import { addressOf } from '@grantkit/core/adapter'
 *
 * addressOf('https://auth.example/', '/oauth/token')
 * // 'https://auth.example/oauth/token'
 * ```
 */
export function addressOf(issuer: string, path: string): string {
  return issuer.replace(/\/$/, '') + path
}

/** The well-known path goes between the host and the path of the identifier (RFC 8414 3.1, RFC 9728 3.1). */
export function wellKnownPath(name: string, identifier: string): string {
  return `/.well-known/${name}${basePathOf(identifier)}`
}

/**
 * @example
 * ```ts
 * import { wellKnownAddress } from '@grantkit/core/adapter'
 *
 * wellKnownAddress('oauth-authorization-server', 'https://auth.example/tenant')
 * // 'https://auth.example/.well-known/oauth-authorization-server/tenant'
 * ```
 */
export function wellKnownAddress(name: string, identifier: string): string {
  const origin = /^https?:\/\/[^/]+/.exec(identifier)?.[0] ?? ''
  return origin + wellKnownPath(name, identifier)
}

/** Where endpoints are, below the issuer. */
export interface PathOptions<Name extends string> {
  readonly paths?: { readonly [Endpoint in Name]?: string | undefined } | undefined
}

/** The path of an endpoint below the issuer. @throws Error that names the wrong option */
export function endpointPath(name: string, option: string | undefined, fallback: string): string {
  const path = option ?? fallback
  if (!/^\/[^?#\s]*$/.test(path))
    throw new Error(`paths.${name} must begin with a slash, without query: ${path}`)
  return path
}
