/**
 * Terms: what an authorization request asks for beside scopes and resources, the user decides, and the grant keeps. Features
 * bring them (`FeatureParts.requestTerms`), and every way to a grant of a user runs them.
 */
import type * as z from 'zod'
import type { Parameters } from '../http/message.ts'
import type { BaseEvent } from '../kernel/events.ts'
import type { ClaimsUse, UserClaims } from '../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import type { AccessTokenState, Client, Grant, Terms, TermViews } from '../kernel/records.ts'
import type { IssuedTokens, Outcome } from './grant.ts'
import { type ExchangePlan, issuedToken } from './grant-type.ts'

/**
 * @typeParam Asked what a request asks for, as plain JSON
 * @typeParam Value what the user decides, as plain JSON: `Grant.terms[name]`
 */
export interface RequestTerm<Asked = unknown, Value = unknown> extends TermClaims<Value> {
  /** Its parameters, of authorization requests and of token requests. No other term has them. */
  readonly parameters: z.ZodObject
  /** The names of the claims that `claimsOf` returns. `tokenClaims` cannot set them. */
  readonly claims: readonly string[]
  /** @returns what the request asks for; `undefined` if this term has no part in it @throws OAuthError */
  read(requested: Readonly<Record<string, unknown>>, about: RequestInfo): Asked | undefined
  /** The part of the consent page. @throws OAuthError for a request that this user cannot allow */
  view(asked: Asked, about: UserInfo): TermQuestion<Value> | Promise<TermQuestion<Value>>
  /** The user's decision, from own fields of the form. @throws OAuthError for one that this user cannot make */
  decide(asked: Asked, form: Parameters, about: UserInfo): Decided<Value> | Promise<Decided<Value>>
  /**
   * Narrows the value of a grant, or of the token to exchange, for a new token. Asked before anything is used up, also when an
   * answer is repeated. @throws OAuthError
   */
  narrow(value: Value, request: NarrowingRequest): Narrowed<Value> | Promise<Narrowed<Value>>
  /** A token request that gets tokens of a grant without a value. Default: its parameters are ignored. @throws OAuthError */
  absent?(requested: Readonly<Record<string, unknown>>): void
  /** The value of a grant without a user, whose client acts for itself. Default: none. */
  ofClient?(client: Client): Value | undefined
}

/** A term of a server: it reads its own parameters. The guard of an API shares this file and loads no schema. */
export interface MountedTerm extends RequestTerm {
  /** @throws OAuthError */
  readFrom(sent: Parameters): Readonly<Record<string, unknown>>
}

/** What reads the terms of a token: a server, or a guard with its store. */
export interface TermClaims<Value = unknown> {
  /** Of `Grant.terms`, `ConsentView.terms` and `AccessToken.terms`. */
  readonly name: string
  /** The claims, or members of an answer, that carry the value. */
  claimsOf(value: Value, request: TermClaimsRequest): UserClaims
}

/** Who asks for what. */
interface RequestInfo {
  readonly client: Client
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
}

/** Whom a term asks. */
export interface UserInfo extends RequestInfo {
  readonly subject: string
  /** The language of the page. */
  readonly locale: string
}

/** `open`: the user has to decide, on a page. Without a value, the grant has no such term. */
export type Decided<Value> = 'open' | { readonly value: Value | undefined }

export interface TermQuestion<Value> {
  /** `ConsentView.terms[name]`. */
  readonly shown: unknown
  /** What is known without the page: remembered consent and `prompt=none` count for this value alone. */
  readonly decided: Decided<Value>
}

/** A token request that gets tokens of a grant with terms. */
interface NarrowingRequest {
  /** The parameters of the term. */
  readonly requested: Readonly<Record<string, unknown>>
  readonly grant: Grant
}

/** `ended`: the grant ends, and the request gets this error. The event comes once that is written. */
export type Narrowed<Value> =
  | { readonly value: Value }
  | { readonly ended: ErrorDefinition; readonly event?: BaseEvent | undefined }

export interface TermClaimsRequest {
  readonly use: ClaimsUse | 'token_response'
  /** Of the token; at a guard with the store, the one that it guards. */
  readonly resources: readonly string[]
}

export const TERM_ERRORS = defineErrors({
  term_unknown: [
    'invalid_grant',
    'The request or its grant has terms that this server does not know. Authorize again',
  ],
  term_retry_differs: [
    'invalid_grant',
    'This credential was used a moment ago with other terms. Repeat the request unchanged',
  ],
  user_decision_missing: ['invalid_request', 'A choice is missing in the form. Go back and choose'],
  user_decision_needed: [
    'interaction_required',
    'The user must decide on a page. Send the request again without prompt=none',
  ],
})

/** A server, or a part of it, that may have terms. Without them, a grant with terms is refused. */
export interface WithTerms {
  readonly requestTerms?: readonly MountedTerm[] | undefined
}

export type AskedTerms = Readonly<Record<string, unknown>>

/** What a request asks for, by the names of the terms; `undefined` for nothing. @throws OAuthError */
export function askedTerms(
  { requestTerms }: WithTerms,
  sent: Parameters,
  about: RequestInfo,
): AskedTerms | undefined {
  return present(requestTerms, (term) => term.read(term.readFrom(sent), about))
}

/** The terms of a grant without a user. */
export function termsOfClient({ requestTerms }: WithTerms, client: Client): Terms | undefined {
  return present(requestTerms, (term) => term.ofClient?.(client))
}

/** The questions of a consent page. @throws OAuthError */
export async function askTerms(
  { requestTerms = [] }: WithTerms,
  asked: AskedTerms | undefined,
  about: UserInfo,
): Promise<{ readonly views: TermViews | undefined; readonly decided: Decided<Terms> }> {
  if (asked === undefined) return { views: undefined, decided: { value: undefined } }
  const questions = await Promise.all(
    takingAll(requestTerms, asked).map(
      async (term) => [term.name, await term.view(asked[term.name], about)] as const,
    ),
  )
  const views = Object.fromEntries(questions.map(([name, { shown }]) => [name, shown]))
  return { views, decided: joined(questions.map(([name, { decided }]) => [name, decided])) }
}

/** What the user decides by a form. @throws OAuthError */
export async function decideTerms(
  { requestTerms = [] }: WithTerms,
  asked: AskedTerms | undefined,
  form: Parameters,
  about: UserInfo,
): Promise<Decided<Terms>> {
  if (asked === undefined) return { value: undefined }
  const terms = takingAll(requestTerms, asked)
  return joined(
    await Promise.all(
      terms.map(async (term) => [term.name, await term.decide(asked[term.name], form, about)] as const),
    ),
  )
}

function taking(terms: readonly MountedTerm[], asked: AskedTerms): readonly MountedTerm[] {
  return terms.filter(({ name }) => asked[name] !== undefined)
}

/** What a request asks for. Another replica may have read it. @throws OAuthError for a term that this one does not know */
function takingAll(terms: readonly MountedTerm[], asked: AskedTerms): readonly MountedTerm[] {
  if (hasUnknownTerm(terms, asked)) throw new OAuthError(TERM_ERRORS.term_unknown)
  return taking(terms, asked)
}

function joined(decided: readonly (readonly [string, Decided<unknown>])[]): Decided<Terms> {
  const values: [string, unknown][] = []
  for (const [name, one] of decided) {
    if (one === 'open') return 'open'
    values.push([name, one.value])
  }
  return { value: kept(values) }
}

function present(
  terms: readonly MountedTerm[] | undefined,
  read: (term: MountedTerm) => unknown,
): Terms | undefined {
  return terms && kept(terms.map((term) => [term.name, read(term)]))
}

/** Of each. Terms have limits of their own, below this one. */
const MAX_BYTES = 5120

/** A copy: a record shares nothing with a request. @throws Error for a value that is larger than a record may have */
function kept(values: readonly (readonly [string, unknown])[]): Terms | undefined {
  const given = values.filter(([, value]) => value !== undefined)
  if (given.length === 0) return undefined
  const copies = given.map(([name, value]) => {
    const json = JSON.stringify(value)
    if (Buffer.byteLength(json) > MAX_BYTES)
      throw new Error(`terms: ${name} has more than ${MAX_BYTES} bytes as JSON`)
    return [name, JSON.parse(json)]
  })
  return Object.fromEntries(copies)
}

export function sameTerms(one: Terms | undefined, other: Terms | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/** Whether two answers of a user allow the same. */
export function sameAnswer(
  one: Pick<Grant, 'scopes' | 'terms'>,
  other: Pick<Grant, 'scopes' | 'terms'>,
): boolean {
  return one.scopes.join() === other.scopes.join() && sameTerms(one.terms, other.terms)
}

/** A term restricts: without its feature, its grant is good for nothing. */
export function hasUnknownTerm(known: readonly TermClaims[] = [], terms: object): boolean {
  return Object.keys(terms).some((name) => !known.some((term) => term.name === name))
}

/** The terms of a token: those of its grant, or narrower ones. */
export function termsOfToken(grant: Grant, token: Pick<AccessTokenState, 'terms'> | undefined) {
  return token?.terms ?? grant.terms
}

/** The terms of the token that a plan issues; those of the grant for one that was revoked since. */
export function termsOfPlan({ grant, issued }: Pick<ExchangePlan, 'grant' | 'issued'>): Terms | undefined {
  return termsOfToken(grant, issuedToken(grant, issued))
}

/** Tells what a plan issues, by use; `undefined` for a grant without terms. */
export function termClaimsOf({ requestTerms }: WithTerms, plan: ExchangePlan) {
  const terms = plan.grant.terms && termsOfPlan(plan)
  const { resources } = plan.issued
  return terms && ((use: TermClaimsRequest['use']) => claimsOfTerms(requestTerms, terms, { use, resources }))
}

/** The claims of all terms. */
export function claimsOfTerms(
  known: readonly TermClaims[] = [],
  terms: Terms,
  request: TermClaimsRequest,
): UserClaims {
  return Object.assign(
    {},
    ...known.filter(({ name }) => name in terms).map((term) => term.claimsOf(terms[term.name], request)),
  )
}

/** Parameters of terms that the grant does not have. @throws OAuthError */
export function refuseAbsentTerms(terms: readonly MountedTerm[], form: Parameters, grant: Grant): void {
  for (const term of terms)
    if (grant.terms === undefined || !(term.name in grant.terms)) term.absent?.(term.readFrom(form))
}

/**
 * Narrows the terms of a grant for the token that a request gets, and writes them to that token if they are narrower than those
 * of the grant.
 *
 * @throws OAuthError after which nothing has changed
 */
export async function withinTerms(
  known: readonly MountedTerm[] = [],
  outcome: Exclude<Outcome<IssuedTokens>, { kind: 'ended' }>,
  { form }: { readonly form: Parameters },
): Promise<Outcome<IssuedTokens>> {
  const { grant, result: issued } = outcome
  const { accessTokens, terms = {} } = grant
  if (hasUnknownTerm(known, terms)) throw new OAuthError(TERM_ERRORS.term_unknown)
  const token = issuedToken(grant, issued)
  const parent = accessTokens.find((one) => one.hash === token?.parent)
  const given = termsOfToken(grant, parent) ?? {}
  const values: [string, unknown][] = []
  for (const term of taking(known, given)) {
    const requested = term.readFrom(form)
    const narrowed = await term.narrow(given[term.name], { requested, grant })
    if ('ended' in narrowed) return { kind: 'ended', refusal: narrowed.ended, event: narrowed.event }
    values.push([term.name, narrowed.value])
  }
  const narrower = kept(values)
  const isRepeated = issued.retried !== undefined
  // It was revoked since then.
  if (token === undefined) return outcome
  if (isRepeated && !sameTerms(narrower, termsOfToken(grant, token)))
    throw new OAuthError(TERM_ERRORS.term_retry_differs)
  if (isRepeated || sameTerms(narrower, terms)) return outcome
  const tokens = accessTokens.map((one) => (one === token ? { ...one, terms: narrower } : one))
  return { ...outcome, grant: { ...grant, accessTokens: tokens } }
}
