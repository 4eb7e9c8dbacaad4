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

/**
 * A family of resources: the last segment of its indicator is a variable, as in `https://api.example/mcp/o/{organization}`. A member
 * has the value there, byte for byte.
 */
export interface ResourceFamily {
  /** Ends with a slash. */
  readonly prefix: string
  /** The name of the term whose value a member has. */
  readonly variable: string
}

const FAMILY = /^([^{}]+\/)\{(\w+)\}$/
const MEMBER = /^[A-Za-z0-9_-]{1,64}$/

/** The family that an option names; `undefined` for a plain resource. */
export function familyOf(indicator: string): ResourceFamily | undefined {
  // Most are plain, and this is asked at each refresh.
  if (!indicator.endsWith('}')) return undefined
  const [, prefix, variable] = FAMILY.exec(indicator) ?? []
  return prefix === undefined || variable === undefined ? undefined : { prefix, variable }
}

/** The value in a member of a family; `undefined` for any other text. */
export function valueIn({ prefix }: ResourceFamily, text: string): string | undefined {
  const value = text.startsWith(prefix) ? text.slice(prefix.length) : ''
  return MEMBER.test(value) ? value : undefined
}

/** Those that a token without resources is valid at: a member of a family must be named. */
export function plainResources(known: readonly string[]): readonly string[] {
  return known.some(familyOf) ? known.filter((one) => familyOf(one) === undefined) : known
}

function isKnown(known: readonly string[], resource: string): boolean {
  if (known.includes(resource)) return familyOf(resource) === undefined
  return known.some((one) => isMember(one, resource))
}

/** Whether a resource is a member of the family that an option names. */
export function isMember(indicator: string, resource: string): boolean {
  const family = familyOf(indicator)
  return family !== undefined && valueIn(family, resource) !== undefined
}

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

/**
 * The resources of an authorization request; each must be one of this server. Members of families are for requests whose terms
 * are read, see {@link requestedMembers}.
 *
 * @throws OAuthError `invalid_target`
 */
export function requestedResources(
  requested: readonly string[],
  known: readonly string[],
): readonly string[] {
  return requestedMembers(requested, plainResources(known))
}

/** As {@link requestedResources}, with members of families. @throws OAuthError `invalid_target` */
export function requestedMembers(requested: readonly string[], known: readonly string[]): readonly string[] {
  const resources = canonicalResources(requested)
  if (!resources.every((resource) => isKnown(known, resource)))
    throw resourceError(RESOURCE_ERRORS.resource_unknown, known)
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
    const all = granted.every((resource) => isKnown(known, resource))
    const hosted = all ? granted : granted.filter((resource) => isKnown(known, resource))
    if (hosted.length === 0) throw new OAuthError(RESOURCE_ERRORS.resource_gone)
    return hosted
  }
  const resources = canonicalResources(requested)
  const missing = resources.filter((resource) => !isKnown(known, resource))
  if (missing.length > 0) {
    const gone = missing.some((resource) => granted.includes(resource))
    throw resourceError(gone ? RESOURCE_ERRORS.resource_gone : RESOURCE_ERRORS.resource_unknown, known)
  }
  if (!coversResources(granted, resources, known))
    throw resourceError(RESOURCE_ERRORS.resource_not_granted, granted)
  return partOf(granted.length === 0 ? known : granted, resources)
}

function resourceError(definition: ErrorDefinition, expected: readonly string[]): OAuthError {
  return new OAuthError(definition, undefined, { facts: { expected } })
}

/** Whether a grant covers the requested resources. On either side, an empty list means every plain resource of the server. */
export function coversResources(
  granted: readonly string[],
  requested: readonly string[],
  known: readonly string[],
): boolean {
  if (granted.length === 0) return includesAll(known, requested)
  return requested.length > 0 && includesAll(granted, requested)
}

/** Whether a token is valid at a resource. A token without resources is valid at all resources of its server. */
export function audienceIncludes(resources: readonly string[], resource: string): boolean {
  return resources.length === 0 || resources.includes(resource)
}
