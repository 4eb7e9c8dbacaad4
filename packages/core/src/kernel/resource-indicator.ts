import { defineErrors, type ErrorDefinition, OAuthError, withCode } from './oauth-error.ts'
import { includesAll, partOf } from './scope.ts'

export const RESOURCE_ERRORS = defineErrors({
  ...withCode('invalid_target', {
    resource_unknown: 'Unknown resource. Send the resource of the protected resource metadata, byte for byte',
    resource_not_granted:
      'resource was not part of the authorization. Name it in the authorization request too',
  }),
  resource_gone: [
    'invalid_grant',
    'The resource of this grant no longer exists. The user must authorize again',
  ],
})

/** RFC 8707 compares strings. But URL libraries add a slash to an origin, so it is the same with and without one. */
export function canonicalResource(resource: string): string {
  return /^https?:\/\/[^/?#]+\/$/.test(resource) ? resource.slice(0, -1) : resource
}

/** A resource of the options, canonical: an absolute URI without a fragment (RFC 8707 2). @throws Error that names it */
export function checkedResource(option: string, resource: string): string {
  if (!URL.canParse(resource)) throw new Error(`${option} must be an absolute URI: ${resource}`)
  if (resource.includes('#')) throw new Error(`${option} must have no fragment: ${resource}`)
  return canonicalResource(resource)
}

function canonicalResources(requested: readonly string[]): readonly string[] {
  return [...new Set(requested.map(canonicalResource))]
}

/** The resources of an authorization request; each must be one of this server. @throws OAuthError `invalid_target` */
export function requestedResources(
  requested: readonly string[],
  known: readonly string[],
): readonly string[] {
  const resources = canonicalResources(requested)
  if (!includesAll(known, resources)) throw resourceError(RESOURCE_ERRORS.resource_unknown, known)
  return resources
}

/**
 * The resources of a token request: a part of the granted ones; all of them if it names none (RFC 8707 2.2). When one is gone,
 * the client needs another grant: `invalid_target` would be a dead end for it.
 *
 * @throws OAuthError `invalid_target` or `invalid_grant`
 */
export function narrowedResources(
  requested: readonly string[],
  granted: readonly string[],
  known: readonly string[],
): readonly string[] {
  if (requested.length === 0) {
    // It means every resource, so the last one that is gone takes the grant with it.
    if (granted.length === 0) return granted
    const hosted = partOf(granted, known)
    if (hosted.length === 0) throw new OAuthError(RESOURCE_ERRORS.resource_gone)
    return hosted
  }
  const resources = canonicalResources(requested)
  const missing = resources.filter((resource) => !known.includes(resource))
  if (missing.length > 0) {
    const gone = missing.some((resource) => granted.includes(resource))
    throw resourceError(gone ? RESOURCE_ERRORS.resource_gone : RESOURCE_ERRORS.resource_unknown, known)
  }
  if (!coversResources(granted, resources)) throw resourceError(RESOURCE_ERRORS.resource_not_granted, granted)
  return partOf(granted.length === 0 ? known : granted, resources)
}

function resourceError(definition: ErrorDefinition, expected: readonly string[]): OAuthError {
  return new OAuthError(definition, undefined, { facts: { expected } })
}

/** Whether a grant covers the requested resources. On either side, an empty list means every resource of the server. */
export function coversResources(granted: readonly string[], requested: readonly string[]): boolean {
  return granted.length === 0 || (requested.length > 0 && includesAll(granted, requested))
}

/** Whether a token is valid at a resource. A token without resources is valid at all resources of its server. */
export function audienceIncludes(resources: readonly string[], resource: string): boolean {
  return resources.length === 0 || resources.includes(resource)
}
