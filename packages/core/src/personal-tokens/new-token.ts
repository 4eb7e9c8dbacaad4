import { keptUntil } from '../grants/change-grant.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import type { Grant } from '../kernel/records.ts'
import { newGrantId, newSecret, sha256 } from '../kernel/secrets.ts'
import { pauseAfter } from '../kernel/time.ts'
import { formatPersonalToken } from '../tokens/credential.ts'
import { PERSONAL_CLIENT_ID } from './personal-client.ts'
import { type PersonalToken, personalToken, tokensOf } from './personal-token.ts'
import {
  checkedRequest,
  PERSONAL_TOKEN_ERRORS,
  type PersonalTokenRequest,
  type PersonalTokenTerms,
} from './requested-token.ts'

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
    // Nobody has its text yet.
    await grants.remove(id)
  }
  throw new OAuthError(PERSONAL_TOKEN_ERRORS.too_many_personal_tokens)
}
