/**
 * Personal access tokens: users make them on a page for their own scripts, where no browser can run. A token is a grant with
 * one access token and no refresh token, so guards, introspection and the lists of grants know it.
 *
 * @module
 */

import type { Feature, ServerContext } from '../../feature.ts'
import { wholeNumber } from '../../kernel/kernel.ts'
import type { TermViews } from '../../kernel/records.ts'
import { OPENID, type ScopeCatalogue } from '../../kernel/scope.ts'
import {
  type CreatedPersonalToken,
  createToken,
  endLeakedTokens,
  endToken,
  type LeakedPersonalToken,
  type PersonalToken,
  type PersonalTokenRequest,
  type PersonalTokenTerms,
  personalClient,
  personalToken,
  questionsOf,
  tokensOf,
} from './personal-token.ts'

export type { PersonalTokenExpiring } from '../../grants/change-grant.ts'
export type {
  CreatedPersonalToken,
  LeakedPersonalToken,
  PersonalToken,
  PersonalTokenCreated,
  PersonalTokenEnded,
  PersonalTokenRequest,
} from './personal-token.ts'
export { PERSONAL_CLIENT_ID } from './personal-token.ts'

export interface PersonalTokensOptions {
  /** The lifetime of a token for which the user chooses none, in seconds. Default 30 days. */
  readonly lifetime?: number | undefined
  /** The longest lifetime, in seconds. `endless` allows tokens without an end too. Default 366 days. */
  readonly longest?: number | 'endless' | undefined
  /** The maximum number of live tokens of a user. Default 50. */
  readonly perUser?: number | undefined
}

/**
 * The feature, and what its page does. Call `create` for a signed-in user only, and never for a request that carries an access
 * token: a token must not make another one. Every method rejects until a server has the feature.
 */
export interface PersonalTokens extends Feature {
  /**
   * Makes a token. Only this result has its text; the store has the SHA-256 of its secret. Its scopes stay as they are when the
   * catalogue changes.
   *
   * @throws OAuthError that names what is wrong with the request, or `too_many_personal_tokens` (409)
   */
  create(request: PersonalTokenRequest): Promise<CreatedPersonalToken>
  /** What the user decides beside scopes, for the form of a new token, by names of terms. `undefined` for nothing. @throws OAuthError */
  terms(subject: string, locale: string): Promise<TermViews | undefined>
  /** The live tokens of a user, the newest first. */
  list(subject: string): Promise<readonly PersonalToken[]>
  /** Ends a token of this user. @returns `false`, and changes nothing, if it does not exist or belongs to another user */
  end(subject: string, id: string): Promise<boolean>
  /** Ends the live tokens among these texts, for reports of secret scanners. It reads one record for each text in the form of a token. */
  endLeaked(texts: readonly string[]): Promise<readonly LeakedPersonalToken[]>
  /** The scopes that tokens may have, in the order of the catalogue: those with `personal: true`. */
  readonly scopes: readonly string[]
}

const DAY = 24 * 60 * 60

/**
 * Lets users make personal access tokens, with scopes that have `personal: true`. Only routes of
 * `api.allowing({ personalTokens: true })` accept them.
 *
 * @throws Error that names the option at fault
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { personalTokens } from '@grantkit/core/personal-tokens'
 *
 * const tokens = personalTokens({ perUser: 10 })
 * const catalogue = { ...scopes, 'notes:read': { description: 'Read your notes', personal: true } }
 * export const authorization = createAuthorizationServer({
 *   ...{ issuer, store, secret, interaction, scopes: catalogue, features: [tokens] },
 * })
 *
 * // For a form of a signed-in user.
 * export const createFor = (subject: string, label: string) =>
 *   tokens.create({ subject, label, scopes: ['notes:read'], resources: [issuer] })
 * ```
 */
export function personalTokens(options: PersonalTokensOptions = {}): PersonalTokens {
  const limits = checkedOptions(options)
  let mounted: { readonly server: ServerContext; readonly terms: PersonalTokenTerms } | undefined
  function context() {
    if (mounted === undefined) throw new Error('personalTokens: needs a server with this feature')
    return mounted
  }
  const feature: Feature = (server) => {
    mounted = { server, terms: { ...limits, scopes: personalScopes(server.scopes) } }
    return { clientSources: () => [personalClient] }
  }
  const methods: Omit<PersonalTokens, 'scopes'> = Object.assign(feature, {
    create: async (request: PersonalTokenRequest) => createToken(context().server, context().terms, request),
    terms: async (subject: string, locale: string) => questionsOf(context().server, subject, locale),
    list: async (subject: string) => (await tokensOf(context().server, subject)).map(personalToken),
    end: async (subject: string, id: string) => endToken(context().server, subject, id),
    endLeaked: async (texts: readonly string[]) => endLeakedTokens(context().server, texts),
  })
  return Object.defineProperty(methods, 'scopes', { get: () => context().terms.scopes }) as PersonalTokens
}

function checkedOptions({ lifetime = 30 * DAY, longest = 366 * DAY, perUser = 50 }: PersonalTokensOptions) {
  for (const [name, value] of Object.entries({ lifetime, longest, perUser }))
    if (value !== 'endless') wholeNumber(`personalTokens: ${name}`, value, 1)
  if (longest !== 'endless' && lifetime > longest)
    throw new Error('personalTokens: lifetime is longer than longest')
  return { lifetime, longest, perUser }
}

/** An ID token or UserInfo is for an app that signs its user in, and no app is there. */
function personalScopes(catalogue: ScopeCatalogue): readonly string[] {
  const scopes = Object.entries(catalogue).flatMap(([name, { personal }]) => (personal ? [name] : []))
  if (scopes.includes(OPENID)) throw new Error(`personalTokens: the scope ${OPENID} cannot be personal`)
  if (scopes.length === 0) throw new Error('personalTokens: no scope of the catalogue has `personal: true`')
  return scopes
}
