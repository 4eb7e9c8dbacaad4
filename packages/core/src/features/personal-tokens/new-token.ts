import { keptUntil } from '../../grants/change-grant.ts'
import { requireKeyFor } from '../../grants/grant.ts'
import { displayText } from '../../kernel/display-text.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { defineErrors, OAuthError, SERVER_ERRORS } from '../../kernel/oauth-error.ts'
import type { Grant } from '../../kernel/records.ts'
import { requestedResources } from '../../kernel/resource-indicator.ts'
import { newGrantId, newSecret, sha256 } from '../../kernel/secrets.ts'
import { pauseAfter } from '../../kernel/time.ts'
import { formatPersonalToken } from '../../tokens/credential.ts'
import { ENDLESS, PERSONAL_CLIENT_ID, type PersonalToken, personalToken, tokensOf } from './personal-token.ts'

/** A user made a personal access token. */
export interface PersonalTokenCreated {
  readonly type: 'personal_token_created'
  readonly subject: string
  readonly grantId: string
  readonly label: string
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly expiresAt?: number | undefined
}

/** A new token. Only this result has its text. */
export interface CreatedPersonalToken {
  readonly text: string
  readonly token: PersonalToken
}

/** @throws OAuthError that names what is wrong with the request, or `too_many_personal_tokens` (409) */
export async function createToken(
  kernel: Kernel,
  terms: PersonalTokenTerms,
  request: PersonalTokenRequest,
): Promise<CreatedPersonalToken> {
  const { lifetime, ...allowed } = checkedRequest(kernel, terms, request)
  const { subject } = request
  const secret = newSecret(kernel.random)
  const now = kernel.now()
  const { label, scopes, resources } = allowed
  const times = { issuedAt: now, expiresAt: now + lifetime }
  const grant: Grant = {
    ...{ id: newGrantId(kernel.random), origin: 'personal', clientId: PERSONAL_CLIENT_ID },
    ...{ subject, label, scopes, resources, createdAt: now, usedAt: now, expiresAt: now + lifetime },
    // Without the mark of a signed token: it is opaque, whatever else the server issues.
    accessTokens: [{ hash: sha256(secret), scopes, resources, ...times }],
  }
  await insertBelow(kernel, grant, terms.perUser)
  const token = personalToken(grant)
  const { id: grantId, expiresAt } = token
  const made = { subject, grantId, label, scopes, resources, expiresAt }
  kernel.emit({ type: 'personal_token_created', ...made } satisfies PersonalTokenCreated)
  return { text: formatPersonalToken({ grantId: grant.id, secret }), token }
}

const MAX_ATTEMPTS = 4

/**
 * Counts once more after the insert: of several requests at once, none takes the user over the limit. Those that would have done it come back
 * one by one, so that no place stays free.
 */
async function insertBelow(kernel: Kernel, grant: Grant, perUser: number): Promise<void> {
  const { subject = '', id } = grant
  const { grants } = kernel.store
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (attempt > 0) await pauseAfter(attempt - 1, kernel)
    if ((await tokensOf(kernel, subject)).length >= perUser) break
    if (!(await grants.insert(id, grant, keptUntil(grant)))) throw new OAuthError(SERVER_ERRORS.contention)
    if ((await tokensOf(kernel, subject)).length <= perUser) return
    // Its text has not been returned yet.
    await grants.remove(id)
  }
  throw new OAuthError(PERSONAL_TOKEN_ERRORS.too_many_personal_tokens)
}

/** Only the page or the command that makes the token gets these errors. */
const PERSONAL_TOKEN_ERRORS = defineErrors({
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
function checkedRequest(
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
