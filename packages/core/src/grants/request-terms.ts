/**
 * Terms: what an authorization request asks for beside scopes and resources, the user decides, and the grant keeps. Features
 * bring them (`FeatureParts.requestTerms`), and every way to a grant of a user runs them.
 */
import type * as z from 'zod'
import { type Parameters, readMessage } from '../http/message.ts'
import type { BaseEvent } from '../kernel/events.ts'
import type { UserClaims } from '../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import type { Client, Grant, Terms, TermViews } from '../kernel/records.ts'
import {
  claimsOfTerms,
  hasUnknownTerm,
  type IssuedTokens,
  type Outcome,
  type TermClaims,
  type TermClaimsRequest,
  termsOfToken,
  UNKNOWN_TERM,
} from './grant.ts'
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

export const TERM_ERRORS = /* @__PURE__ */ defineErrors({
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
  readonly requestTerms?: RequestTerms | undefined
}

/** What the user decides. `open`: why the request cannot go on before that. */
export type DecidedTerms =
  | { readonly value: Terms | undefined; readonly open?: undefined }
  | { readonly open: ErrorDefinition }

/** The questions of a consent page, and what is known without it. */
export interface TermQuestions {
  readonly views: TermViews | undefined
  readonly decided: DecidedTerms
}

const NOTHING_ASKED: TermQuestions = { views: undefined, decided: { value: undefined } }

/** The questions of a consent page. @throws OAuthError */
export function askTerms(
  server: WithTerms,
  asked: AskedTerms | undefined,
  about: UserInfo,
): TermQuestions | Promise<TermQuestions> {
  return asked ? termsOf(server).ask(asked, about) : NOTHING_ASKED
}

/** What the user decides by a form. @throws OAuthError */
export function decideTerms(
  server: WithTerms,
  asked: AskedTerms | undefined,
  form: Parameters,
  about: UserInfo,
): DecidedTerms | Promise<DecidedTerms> {
  return asked ? termsOf(server).decide(asked, form, about) : NOTHING_ASKED.decided
}

/** Another replica may have read what is asked. */
function termsOf({ requestTerms }: WithTerms): RequestTerms {
  if (requestTerms === undefined) throw new OAuthError(UNKNOWN_TERM.term_unknown)
  return requestTerms
}

/** The terms of a server. Its features make it: a server without them does not have it. */
export class RequestTerms {
  readonly list: readonly RequestTerm[]
  readonly errors: Readonly<Record<string, ErrorDefinition>> = { ...UNKNOWN_TERM, ...TERM_ERRORS }

  constructor(list: readonly RequestTerm[]) {
    this.list = list
  }

  and({ list }: RequestTerms): RequestTerms {
    return new RequestTerms([...this.list, ...list])
  }

  /** The parameters of authorization requests. @throws Error for one that is taken, or that two terms have */
  parametersBeside(taken: object): Record<string, z.ZodType> {
    const shape: Record<string, z.ZodType> = {}
    for (const { name, parameters } of this.list)
      for (const [parameter, type] of Object.entries(parameters.shape)) {
        if (parameter in taken || parameter in shape)
          throw new Error(`features: the term ${name} has the parameter ${parameter}, which is taken`)
        shape[parameter] = type
      }
    return shape
  }

  /** What a request asks for, by the names of the terms; `undefined` for nothing. @throws OAuthError */
  asked(sent: Parameters, about: RequestInfo): AskedTerms | undefined {
    return kept(this.list.map((term) => [term.name, term.read(readMessage(term.parameters, sent), about)]))
  }

  /** The terms of a grant without a user. */
  ofClient(client: Client): Terms | undefined {
    return kept(this.list.map((term) => [term.name, term.ofClient?.(client)]))
  }

  async ask(asked: AskedTerms, about: UserInfo): Promise<TermQuestions> {
    const questions = await this.#each(asked, (term) => term.view(asked[term.name], about))
    const views = Object.fromEntries(questions.map(([name, { shown }]) => [name, shown]))
    const decided = questions.map(([name, { decided }]) => [name, decided] as const)
    return { views, decided: joined(decided, TERM_ERRORS.user_decision_needed) }
  }

  async decide(asked: AskedTerms, form: Parameters, about: UserInfo): Promise<DecidedTerms> {
    const decided = await this.#each(asked, (term) => term.decide(asked[term.name], form, about))
    return joined(decided, TERM_ERRORS.user_decision_missing)
  }

  /** @throws OAuthError for a term that this server does not know */
  #each<Result>(asked: AskedTerms, run: (term: RequestTerm) => Result | Promise<Result>) {
    if (hasUnknownTerm(this.list, asked)) throw new OAuthError(UNKNOWN_TERM.term_unknown)
    return Promise.all(taking(this.list, asked).map(async (term) => [term.name, await run(term)] as const))
  }

  /** Tells what a plan issues, by use; `undefined` for a grant without terms. */
  claimsOf(plan: ExchangePlan): ((use: TermClaimsRequest['use']) => UserClaims) | undefined {
    const terms = plan.grant.terms && termsOfPlan(plan)
    const { resources } = plan.issued
    return terms && ((use) => claimsOfTerms(this.list, terms, { use, resources }))
  }

  /** Parameters of terms that the grant does not have. @throws OAuthError */
  refuseAbsent(form: Parameters, { terms }: Grant): void {
    for (const term of this.list)
      if (terms === undefined || !(term.name in terms)) term.absent?.(readMessage(term.parameters, form))
  }

  /**
   * Narrows the terms of a grant for the token that a request gets, and writes them to that token if they are narrower than those
   * of the grant.
   *
   * @throws OAuthError after which nothing has changed
   */
  async within(
    outcome: Exclude<Outcome<IssuedTokens>, { kind: 'ended' }>,
    { form }: { readonly form: Parameters },
  ): Promise<Outcome<IssuedTokens>> {
    const { grant, result: issued } = outcome
    const { accessTokens, terms = {} } = grant
    if (hasUnknownTerm(this.list, terms)) throw new OAuthError(UNKNOWN_TERM.term_unknown)
    const token = issuedToken(grant, issued)
    const parent = accessTokens.find((one) => one.hash === token?.parent)
    const given = termsOfToken(grant, parent) ?? {}
    const values: [string, unknown][] = []
    for (const term of taking(this.list, given)) {
      const requested = readMessage(term.parameters, form)
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
}

function taking(terms: readonly RequestTerm[], asked: AskedTerms): readonly RequestTerm[] {
  return terms.filter(({ name }) => asked[name] !== undefined)
}

function joined(
  decided: readonly (readonly [string, Decided<unknown>])[],
  open: ErrorDefinition,
): DecidedTerms {
  const values: [string, unknown][] = []
  for (const [name, one] of decided) {
    if (one === 'open') return { open }
    values.push([name, one.value])
  }
  return { value: kept(values) }
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

/** What a request asks for, by the names of the terms. */
export type AskedTerms = Readonly<Record<string, unknown>>

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

/** The terms of the token that a plan issues; those of the grant for one that was revoked since. */
export function termsOfPlan({ grant, issued }: Pick<ExchangePlan, 'grant' | 'issued'>): Terms | undefined {
  return termsOfToken(grant, issuedToken(grant, issued))
}
