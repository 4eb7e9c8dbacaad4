/** Initial access tokens (RFC 7591 3): the operator hands them out, and a client needs one to register itself. */

import { type ClientMembers, invalidMetadata } from '../../clients/client-metadata.ts'
import type { AdmitRegistration } from '../../clients/registration.ts'
import { header } from '../../http/http.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError, withCode } from '../../kernel/oauth-error.ts'
import type { Transient } from '../../kernel/records.ts'
import { includesAll, unrestricted } from '../../kernel/scope.ts'
import { type Hash, newId, newSecret, sameSecret, sha256 } from '../../kernel/secrets.ts'
import { changeRecord, type Transients } from '../../kernel/store.ts'

export const INITIAL_ACCESS_TOKEN_ERRORS = defineErrors(
  withCode('invalid_token', {
    initial_access_token_missing:
      'Registration needs an initial access token. Ask the operator for one, and send it as a bearer token',
    initial_access_token_invalid:
      'The initial access token is unknown, expired or used up. Ask the operator for another one',
  }),
)

export interface InitialAccessTokenOptions {
  /** For whom it is, as the audit trail shows it: at most 60 characters. */
  readonly label: string
  /** How many clients may register with it, at most 10,000. Default 1. */
  readonly uses?: number | undefined
  /** In seconds, at most 366 days. Default 1 day. */
  readonly expiresIn?: number | undefined
  /** The scopes that these clients may ever request. Default: every scope. */
  readonly scopes?: readonly string[] | undefined
}

/** A new initial access token. Only this result has its text. */
export interface InitialAccessToken {
  /** Names it in events, and for its removal. */
  readonly id: string
  readonly token: string
  /** Epoch seconds. */
  readonly expiresAt: number
}

/** A token that has not ended, without its text. */
export interface FoundInitialAccessToken {
  readonly id: string
  readonly label: string
  /** How many clients may still register with it. */
  readonly uses: number
  /** The scopes that these clients may ever request. Absent: every scope. */
  readonly scopes?: readonly string[] | undefined
  /** Epoch seconds. */
  readonly expiresAt: number
}

export type InitialAccessTokenEvent =
  /** The operator made an initial access token. */
  | {
      readonly type: 'initial_access_token_added'
      readonly id: string
      readonly label: string
      readonly uses: number
      readonly expiresAt: number
    }
  /** The operator ended an initial access token. */
  | { readonly type: 'initial_access_token_removed'; readonly id: string }

interface TokenRecord extends Transient {
  readonly kind: 'initial_access_token'
  readonly hash: Hash
  readonly label: string
  /** How many clients may still register with it. */
  readonly uses: number
  readonly scopes?: readonly string[] | undefined
}

const DAY = 24 * 60 * 60
const MAX_USES = 10_000
const MAX_DAYS = 366
const MAX_LABEL = 60
/** The id, and the secret. */
const TOKEN = /^Bearer +gki_([\w-]{22})\.([\w-]{43})$/i

/** The initial access tokens of a server, for its operator. */
export interface InitialAccessTokens {
  /**
   * Makes a token with which clients register themselves, where `registration` demands one (RFC 7591 3). Only this result has
   * its text.
   *
   * @throws OAuthError that names the option at fault
   */
  addInitialAccessToken(options: InitialAccessTokenOptions): Promise<InitialAccessToken>
  /** Such a token by its id, with the clients that may still register with it; `undefined` if it has ended. */
  findInitialAccessToken(id: string): Promise<FoundInitialAccessToken | undefined>
  /** Ends a token. Clients that registered with it stay. @returns whether it existed */
  removeInitialAccessToken(id: string): Promise<boolean>
}

export function initialAccessTokens(kernel: Kernel): InitialAccessTokens {
  const emit = (event: InitialAccessTokenEvent) => kernel.emit(event)
  return {
    async addInitialAccessToken({ label, uses = 1, expiresIn = DAY, scopes }) {
      requireThat('label', label.trim() !== '' && label.length <= MAX_LABEL, `1 to ${MAX_LABEL} characters`)
      requireThat('uses', isWhole(uses, MAX_USES), `a whole number from 1 to ${MAX_USES}`)
      const lives = `a whole number of seconds, at most ${MAX_DAYS} days`
      requireThat('expiresIn', isWhole(expiresIn, MAX_DAYS * DAY), lives)
      const areOpen = scopes === undefined || includesAll(unrestricted(kernel.scopes), scopes)
      requireThat('scopes', areOpen && scopes?.length !== 0, 'scopes of this server')
      const [id, secret] = [newId(kernel.random), newSecret(kernel.random)]
      const expiresAt = kernel.now() + expiresIn
      const known = { label, uses, expiresAt }
      const record: TokenRecord = { kind: 'initial_access_token', hash: sha256(secret), scopes, ...known }
      if (!(await transientsOf(kernel).insert(keyOf(id), record, expiresAt)))
        throw new Error('A new id exists already: the source of randomness repeats itself')
      emit({ type: 'initial_access_token_added', id, ...known })
      return { id, token: `gki_${id}.${secret}`, expiresAt }
    },
    async findInitialAccessToken(id) {
      const record = (await transientsOf(kernel).find(keyOf(id)))?.value
      if (!isToken(record)) return undefined
      const { label, uses, scopes, expiresAt } = record
      return { id, label, uses, scopes, expiresAt }
    },
    async removeInitialAccessToken(id) {
      const existed = await transientsOf(kernel).remove(keyOf(id))
      if (existed) emit({ type: 'initial_access_token_removed', id })
      return existed
    },
  }
}

/** Lets only clients register that present a token; each counts. @throws Error if the store has no transients */
export function admitWithToken(kernel: Kernel): AdmitRegistration {
  const transients = transientsOf(kernel)
  return async (request) => {
    const authorization = header(request, 'authorization')
    if (authorization === undefined)
      throw refused(INITIAL_ACCESS_TOKEN_ERRORS.initial_access_token_missing, 'Bearer')
    const [, id = '', secret = ''] = TOKEN.exec(authorization) ?? []
    const hash = sha256(secret)
    const seen = id === '' ? undefined : await transients.find(keyOf(id))
    const { label, scopes } = usableToken(seen?.value, hash)
    return {
      event: { initialAccessToken: id, label },
      scopeLimit: scopes,
      withinLimit: (metadata) => withinLimit(metadata, scopes),
      // No race makes more clients than uses.
      async beforeInsert() {
        await changeRecord(transients, keyOf(id), kernel, (current) => {
          const token = usableToken(current, hash)
          return { ...token, uses: token.uses - 1 }
        })
      },
    }
  }
}

/** The scopes that the client registers, below the limit of its token. Scopes above it are left out, as unknown ones are. */
function withinLimit(metadata: ClientMembers, limit: readonly string[] | undefined): ClientMembers {
  const { scope } = metadata
  if (limit === undefined || scope === undefined) return metadata
  const within = scope.split(' ').filter((name) => limit.includes(name))
  if (within.length === 0)
    throw invalidMetadata(`scope: this initial access token allows only ${limit.join(' ')}`)
  return { ...metadata, scope: within.join(' ') }
}

function usableToken(seen: Transient | undefined, hash: Hash): TokenRecord {
  if (!isToken(seen) || !sameSecret(hash, seen.hash) || seen.uses < 1)
    throw refused(INITIAL_ACCESS_TOKEN_ERRORS.initial_access_token_invalid)
  return seen
}

function isToken(record: Transient | undefined): record is TokenRecord {
  return record?.kind === 'initial_access_token'
}

/** With a challenge (RFC 6750 3), which has no error for a request without a token (3.1). */
function refused(definition: ErrorDefinition, challenge = 'Bearer error="invalid_token"'): OAuthError {
  return new OAuthError(definition, undefined, { headers: { 'www-authenticate': challenge } })
}

function transientsOf({ store: { transients } }: Kernel): Transients {
  if (transients !== undefined) return transients
  throw new Error('registration: initial access tokens need a store with transients')
}

function keyOf(id: string): string {
  return `initial-access-token:${id}`
}

function isWhole(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max
}

function requireThat(name: string, holds: boolean, must: string): void {
  if (!holds) throw invalidMetadata(`${name}: must be ${must}`)
}
