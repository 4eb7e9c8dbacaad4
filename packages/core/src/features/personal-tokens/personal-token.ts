import type { ClientSource } from '../../clients/client-record.ts'
import { keptUntil, liveUntil } from '../../grants/change-grant.ts'
import { extentOf, findAccessToken, requireKeyFor, singleTokenGrant } from '../../grants/grant.ts'
import { askTerms, decideTerms, type WithTerms } from '../../grants/request-terms.ts'
import { revokeUserGrant } from '../../grants/user-grants.ts'
import { displayText } from '../../kernel/display-text.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { defineErrors, OAuthError, SERVER_ERRORS } from '../../kernel/oauth-error.ts'
import type { Client, Grant, Terms, TermViews } from '../../kernel/records.ts'
import { requestedMembers } from '../../kernel/resource-indicator.ts'
import { sha256 } from '../../kernel/secrets.ts'
import { pauseAfter } from '../../kernel/time.ts'
import { formatPersonalToken, parsePersonalToken } from '../../tokens/credential.ts'

/** A live personal access token, without its text. Times are epoch seconds. */
export interface PersonalToken {
  /** The id of its grant. */
  readonly id: string
  readonly label: string
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  /** What its user decided beside them. */
  readonly terms?: Terms | undefined
  readonly createdAt: number
  /** Absent: it has no end. */
  readonly expiresAt: number | undefined
  /** Up to an hour late. Absent: it was not used yet. */
  readonly lastUsedAt?: number | undefined
  /** The network of that use (24 bits of IPv4, 48 of IPv6), if the guard knew the address. */
  readonly lastNetwork?: string | undefined
}

/** 100 years, for a token without an end: stores need one. */
const ENDLESS = 100 * 365 * 24 * 60 * 60

export function personalToken(grant: Grant): PersonalToken {
  const { id, label = '', scopes, resources, terms, createdAt, usedAt, expiresAt, network } = grant
  return {
    ...{ id, label, scopes, resources, createdAt },
    ...(terms && { terms }),
    expiresAt: expiresAt - createdAt >= ENDLESS ? undefined : expiresAt,
    ...(usedAt > createdAt && { lastUsedAt: usedAt }),
    ...(network !== undefined && { lastNetwork: network }),
  }
}

const PAGE = 200

export async function tokensOf({ store, now }: Kernel, subject: string): Promise<Grant[]> {
  const found: Grant[] = []
  let after: string | undefined
  do {
    const page = await store.grants.list({ subject, clientId: PERSONAL_CLIENT_ID }, { limit: PAGE, after })
    found.push(...page.grants.filter((grant) => grant.origin === 'personal' && now() < liveUntil(grant)))
    after = page.next
  } while (after !== undefined)
  return found
}

/** The client of all personal access tokens. Generated ids have 32 digits and documents are URLs, so no other client gets it. */
export const PERSONAL_CLIENT_ID = 'personal'

/**
 * It can do nothing: it has no grant type, no redirect URI and no scope. It is public, so whoever holds a personal access token may
 * revoke it (RFC 7009 2.1).
 */
const PERSONAL_CLIENT: Client = {
  clientId: PERSONAL_CLIENT_ID,
  origin: 'integration',
  clientName: 'Personal access token',
  applicationType: 'native',
  redirectUris: [],
  tokenEndpointAuthMethod: 'none',
  grantTypes: [],
  scopes: [],
  idTokenSignedResponseAlg: 'RS256',
  createdAt: 0,
  expiresAt: Number.MAX_SAFE_INTEGER,
}

/** A source and no record: it is there without a write, and no record of this id replaces it. */
export const personalClient: ClientSource = {
  owns: (clientId) => clientId === PERSONAL_CLIENT_ID,
  find: async () => PERSONAL_CLIENT,
}

/** A user made a personal access token. */
export interface PersonalTokenCreated {
  readonly type: 'personal_token_created'
  readonly subject: string
  readonly grantId: string
  readonly label: string
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly terms?: Terms | undefined
  readonly expiresAt?: number | undefined
}

/** A new token. Only this result has its text. */
export interface CreatedPersonalToken {
  readonly text: string
  readonly token: PersonalToken
}

export async function createToken(
  kernel: Kernel & WithTerms,
  terms: PersonalTokenTerms,
  request: PersonalTokenRequest,
): Promise<CreatedPersonalToken> {
  const { subject } = request
  const resources = requestedMembers(request.resources, kernel.resources)
  if (resources.length === 0) throw new OAuthError(PERSONAL_TOKEN_ERRORS.personal_token_resource)
  // It is a bearer token.
  requireKeyFor(resources, kernel.boundResources, undefined)
  const label = labelOf(request.label)
  const scopes = scopesOf(request.scopes, terms.scopes)
  // Without the terms of the server: it is opaque, whatever else is issued.
  const lives = { accessToken: lifetimeOf(request.lifetime ?? terms.lifetime, terms.longest) }
  const owner = { origin: 'personal', clientId: PERSONAL_CLIENT_ID, subject, label } as const
  const about = { ...userInfo(subject), scopes, resources }
  const asked = kernel.requestTerms?.asked({}, about)
  const decided = await decideTerms(kernel, asked, request.form ?? {}, about)
  if (decided.open) throw new OAuthError(decided.open)
  const extent = extentOf({ scopes, resources, terms: decided.value })
  const approved = { ...owner, ...extent }
  const { grant, issued } = singleTokenGrant(kernel.random, approved, undefined, kernel.now(), lives)
  await insertBelow(kernel, grant, terms.perUser)
  const token = personalToken(grant)
  const { id: grantId, expiresAt } = token
  const made = { subject, grantId, label, ...extent, expiresAt }
  kernel.emit({ type: 'personal_token_created', ...made } satisfies PersonalTokenCreated)
  return { text: formatPersonalToken({ grantId: grant.id, secret: issued.accessToken }), token }
}

const userInfo = (subject: string, locale = 'en') => ({ subject, client: PERSONAL_CLIENT, locale })

/** What the user decides beside scopes when the token is made. */
export async function questionsOf(
  kernel: Kernel & WithTerms,
  subject: string,
  locale: string,
): Promise<TermViews | undefined> {
  const about = { ...userInfo(subject, locale), scopes: [], resources: kernel.resources }
  return (await askTerms(kernel, kernel.requestTerms?.asked({}, about), about)).views
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
  /** The fields of its form, for the questions of `terms`. Default: none. */
  readonly form?: Readonly<Record<string, string | string[]>> | undefined
}

export interface PersonalTokenTerms {
  /** Those that may be requested. */
  readonly scopes: readonly string[]
  /** Seconds. */
  readonly lifetime: number
  readonly longest: number | 'endless'
  readonly perUser: number
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

export type PersonalTokenEnded =
  /** A user ended a personal access token, or it was found in public. `grant_revoked` comes with it. */
  | {
      readonly type: 'personal_token_ended'
      readonly subject: string
      readonly grantId: string
      readonly label: string
      readonly reason: 'user' | 'leaked'
    }
  /** A secret scanner reported texts of personal access tokens. The live ones have ended. */
  | {
      readonly type: 'personal_tokens_leaked'
      /** The number of texts in the report. */
      readonly reported: number
      readonly ended: number
    }

/** A token that was found in public and has ended. */
export interface LeakedPersonalToken {
  readonly subject: string
  readonly id: string
  readonly label: string
}

export async function endToken(kernel: Kernel, subject: string, id: string): Promise<boolean> {
  const grant = (await kernel.store.grants.find(id))?.value
  if (grant?.origin !== 'personal' || grant.subject !== subject) return false
  return end(kernel, grant, 'user')
}

/** The texts prove themselves: only one with the secret of a live token ends it. */
export async function endLeakedTokens(
  kernel: Kernel,
  texts: readonly string[],
): Promise<readonly LeakedPersonalToken[]> {
  const ended: LeakedPersonalToken[] = []
  for (const text of texts) {
    const grant = await liveGrantOf(kernel, text)
    if (grant === undefined || !(await end(kernel, grant, 'leaked'))) continue
    const { id, subject = '', label = '' } = grant
    ended.push({ subject, id, label })
  }
  const counts = { reported: texts.length, ended: ended.length }
  kernel.emit({ type: 'personal_tokens_leaked', ...counts } satisfies PersonalTokenEnded)
  return ended
}

async function liveGrantOf({ store, now }: Kernel, text: string): Promise<Grant | undefined> {
  const presented = parsePersonalToken(text)
  const grant = presented && (await store.grants.find(presented.grantId))?.value
  if (presented === undefined || grant?.origin !== 'personal') return undefined
  return findAccessToken(grant, sha256(presented.secret), now()) && grant
}

async function end(
  kernel: Kernel,
  { id: grantId, subject = '', label = '' }: Grant,
  reason: 'user' | 'leaked',
): Promise<boolean> {
  const by = reason === 'user' ? 'user' : 'operator'
  if (!(await revokeUserGrant(kernel, subject, grantId, { by }))) return false
  const ended = { subject, grantId, label, reason }
  kernel.emit({ type: 'personal_token_ended', ...ended } satisfies PersonalTokenEnded)
  return true
}
