import { requireKeyFor } from '../grants/access-tokens.ts'
import { displayText } from '../kernel/display-text.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { requestedResources } from '../kernel/resource-indicator.ts'
import { ENDLESS } from './personal-token.ts'

/** Only the page or the command that makes the token gets these errors. */
export const PERSONAL_TOKEN_ERRORS = defineErrors({
  personal_token_label: ['invalid_request', 'label must have 1 to 60 characters'],
  personal_token_scope: ['invalid_scope', 'scopes must be one or more scopes for personal access tokens'],
  personal_token_resource: ['invalid_target', 'resources must have one or more resources'],
  personal_token_lifetime: ['invalid_request', 'lifetime is longer than this server allows'],
  too_many_personal_tokens: [
    'conflict',
    'The user has the maximum number of personal access tokens. End one first',
    409,
  ],
})

/** What a user asks for. */
export interface PersonalTokenRequest {
  /** Must exist and be signed in: the caller checks that. */
  readonly subject: string
  /** 1 to 60 characters. Invisible ones are removed. */
  readonly label: string
  /** At least one, and only scopes with `personal: true`. */
  readonly scopes: readonly string[]
  /** At least one resource of the server (RFC 8707). */
  readonly resources: readonly string[]
  /** Seconds, at least 1. `endless` only where the server allows it. Default: the option `lifetime`. */
  readonly lifetime?: number | 'endless' | undefined
}

/** The limits of a server. */
export interface PersonalTokenTerms {
  /** Those that may be requested. */
  readonly scopes: readonly string[]
  /** Seconds. */
  readonly lifetime: number
  readonly longest: number | 'endless'
  readonly perUser: number
}

/** What the token gets. @throws OAuthError that names what is wrong */
export function checkedRequest(
  { resources: known, boundResources }: Kernel,
  terms: PersonalTokenTerms,
  request: PersonalTokenRequest,
) {
  const resources = requestedResources(request.resources, known)
  if (resources.length === 0) throw new OAuthError(PERSONAL_TOKEN_ERRORS.personal_token_resource)
  // It is a bearer token.
  requireKeyFor(resources, boundResources, undefined)
  return {
    label: labelOf(request.label),
    scopes: scopesOf(request.scopes, terms.scopes),
    resources,
    lifetime: lifetimeOf(request.lifetime ?? terms.lifetime, terms.longest),
  }
}

const MAX_LABEL_LENGTH = 60

/** By code points: a person counts an emoji as one character. */
function labelOf(text: string): string {
  const label = displayText(text)
  const { length } = [...label]
  if (length < 1 || length > MAX_LABEL_LENGTH)
    throw new OAuthError(PERSONAL_TOKEN_ERRORS.personal_token_label)
  return label
}

/** In the order of the catalogue. */
function scopesOf(requested: readonly string[], allowed: readonly string[]): readonly string[] {
  const scopes = allowed.filter((name) => requested.includes(name))
  if (scopes.length === 0 || !requested.every((name) => allowed.includes(name)))
    throw new OAuthError(PERSONAL_TOKEN_ERRORS.personal_token_scope)
  return scopes
}

function lifetimeOf(requested: number | 'endless', longest: number | 'endless'): number {
  const most = longest === 'endless' ? ENDLESS : longest
  const seconds = requested === 'endless' ? ENDLESS : requested
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= most) return seconds
  throw new OAuthError(PERSONAL_TOKEN_ERRORS.personal_token_lifetime)
}
