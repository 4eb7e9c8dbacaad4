import { z } from 'zod'
import { listOf, text } from '../message.ts'
import type { Reason } from '../oauth-error.ts'
import { includesAll } from './scope.ts'

const MOST_RESOURCES = 20

/** The one parameter that may be repeated (RFC 8707 2). What it names is judged by the rules below. */
export const ResourceParameter = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((value) => (value === undefined ? [] : [value].flat()))
  .pipe(listOf(text(), MOST_RESOURCES))

/**
 * Resource indicators (RFC 8707) are compared as strings, but for one thing: a resource that is only an origin is
 * the same with and without a trailing slash, as URL libraries add one.
 */
export function canonicalResource(resource: string): string {
  return /^https?:\/\/[^/?#]+\/$/.test(resource) ? resource.slice(0, -1) : resource
}

/** The resources of an authorization request; each must be one of this server. */
export function requestedResources(
  asked: readonly string[],
  known: readonly string[],
): readonly string[] | Reason {
  const resources = [...new Set(asked.map(canonicalResource))]
  return includesAll(known, resources) ? resources : 'resource_unknown'
}

/** The resources of a token request: part of what was authorized; none named means all of it (RFC 8707 2.2). */
export function narrowedResources(
  asked: readonly string[],
  granted: readonly string[],
  known: readonly string[],
): readonly string[] | Reason {
  if (asked.length === 0) return granted
  const resources = requestedResources(asked, known)
  // A grant that was bound to no resource is good at every one, so a token of it may be bound to any.
  if (typeof resources === 'string' || granted.length === 0) return resources
  return includesAll(granted, resources) ? resources : 'resource_not_granted'
}

/** Whether a token is good at a resource: one bound to nothing is good at all resources of its server. */
export function audienceIncludes(resources: readonly string[], resource: string): boolean {
  return resources.length === 0 || resources.includes(resource)
}
