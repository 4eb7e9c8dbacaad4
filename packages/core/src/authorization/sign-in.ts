/** Whether a user has signed in as a request asks: `prompt`, `max_age` and `acr_values` (OpenID Connect Core 3.1.2.1, RFC 9470). */
import type { SignInFacts } from '../grants/introspection.ts'
import { CLOCK_TOLERANCE, type Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError, withCode } from '../kernel/oauth-error.ts'
import type { Grant } from '../kernel/records.ts'
import type { ScopeCatalogue } from '../kernel/scope.ts'
import { type AcceptedSecrets, sha256 } from '../kernel/secrets.ts'
import { checkedClasses, isAtLeast } from '../resource/guard.ts'
import type { Session } from './interaction.ts'
import { openTicket, sealTicket } from './ticket.ts'

export const PROMPT_ERRORS = defineErrors({
  prompt_invalid: ['invalid_request', 'prompt must be login, consent or select_account, or none alone'],
  sign_in_needed: ['login_required', 'The user is not signed in. Send the request again without prompt=none'],
  sign_in_declined: ['login_required', 'The user did not sign in again, and went back to the app'],
  sign_in_as_other_user: [
    'login_required',
    'The user who signed in is not the one of id_token_hint. Leave it out to allow another user',
  ],
  consent_needed: [
    'consent_required',
    'The user has not given consent. Send the request again without prompt=none',
  ],
})

/** OpenID Connect Core 3.1.2.1. */
const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const
export type Prompt = (typeof PROMPTS)[number]

/** The values of `prompt`. @throws OAuthError `invalid_request` when one is unknown, or `none` is combined with others */
export function requestedPrompts(prompt: string | undefined): readonly Prompt[] {
  if (prompt === undefined) return []
  const values = prompt.split(' ').filter((value) => value !== '')
  const known = PROMPTS.filter((value) => values.includes(value))
  const unknown = known.length !== new Set(values).size
  if (unknown || (known.includes('none') && known.length > 1))
    throw new OAuthError(PROMPT_ERRORS.prompt_invalid)
  return known
}

export interface SignInDemand {
  readonly prompts: readonly Prompt[]
  /** The maximum age of a sign-in, in seconds. */
  readonly maxAge?: number | undefined
  /** The sign-in is of a weaker class than the request asks for. */
  readonly weak?: boolean | undefined
  /** When this request sent its user to sign in, if the session began after that. */
  readonly demandedAt?: number | undefined
}

/**
 * Whether the user has to sign in, or to sign in again, before the request continues. `login` and `max_age=0` want proof that
 * the user is there, `max_age` a sign-in, and `select_account` the choice of an account.
 */
export function signInNeeded(session: Session | undefined, demand: SignInDemand, now: number): boolean {
  if (session === undefined) return true
  const { prompts, weak, maxAge, demandedAt } = demand
  const { authTime, confirmedAt = authTime } = session
  const isSince = (time: number) => demandedAt !== undefined && time >= demandedAt - CLOCK_TOLERANCE
  if ((prompts.includes('login') || maxAge === 0) && !isSince(confirmedAt)) return true
  if ((prompts.includes('select_account') || weak) && demandedAt === undefined) return true
  return maxAge !== undefined && now - authTime > maxAge && !isSince(authTime)
}

/**
 * Marks a request that has sent its user to sign in. `prompt=login`, `max_age` and `acr_values` then apply once, and
 * not again when the user comes back. The mark holds the time and the session that was too old.
 */
const PARAMETER = 'sign_in_ticket'
const MARK = new RegExp(`&${PARAMETER}=([\\w.-]*)$`)

interface SignInContext {
  readonly kernel: Pick<Kernel, 'now'>
  readonly secret: AcceptedSecrets
  readonly lifetimes: { readonly consentTicket: number }
}

/** Appends our parameter, so that the client's query stays as it was sent. */
export function markSignIn(
  { secret, kernel }: SignInContext,
  query: string,
  session: Session | undefined,
): string {
  const ticket = sealTicket(secret, ticketSubject(query), kernel.now(), fingerprint(session))
  return `${query}&${PARAMETER}=${ticket}`
}

interface Demanding extends Pick<SignInDemand, 'prompts' | 'maxAge'> {
  readonly acrValues?: readonly string[] | undefined
  readonly idTokenHint?: string | undefined
}

/** The query with which the user comes back. A request that demands a fresh sign-in is marked, to be recognised then. */
export function queryAfterSignIn(
  context: SignInContext,
  { request, query }: { readonly request: Demanding; readonly query: string },
  session: Session | undefined,
): string {
  const { prompts, maxAge, acrValues, idTokenHint } = request
  const isBound = maxAge !== undefined || acrValues !== undefined || idTokenHint !== undefined
  return isBound || prompts.length > 0 ? markSignIn(context, query, session) : query
}

export function splitSignInTicket(query: string): { readonly query: string; readonly ticket: string } {
  const mark = MARK.exec(query)
  return { query: query.slice(0, mark?.index), ticket: mark?.[1] ?? '' }
}

const DECLINED = 'declined'

/**
 * Where a browser goes whose user does not sign in: the app gets `login_required` (OpenID Connect Core 3.1.2.6).
 *
 * @param returnTo as `signIn` got it, a path with the query of the request
 */
export function declinedSignIn(returnTo: string): string {
  return `${splitSignInTicket(returnTo).query}&${PARAMETER}=${DECLINED}`
}

/** @param ticket of {@link splitSignInTicket} @throws OAuthError `login_required`. Any site may make one: nothing else comes of it */
export function requireNotDeclined(ticket: string): void {
  if (ticket === DECLINED) throw new OAuthError(PROMPT_ERRORS.sign_in_declined)
}

/** When this request sent its user to sign in, if that is recent, and if another session has begun since. */
export function signInDemandedAt(
  { secret, kernel, lifetimes }: SignInContext,
  query: string,
  ticket: string,
  session: Session | undefined,
): number | undefined {
  const demandedAt = openTicket(secret, ticketSubject(query), ticket)?.time
  if (demandedAt === undefined || session === undefined) return undefined
  const isRecent = kernel.now() - demandedAt < lifetimes.consentTicket
  return isRecent && ticket.split('.')[1] !== fingerprint(session) ? demandedAt : undefined
}

/** Not bound to a session: the user comes back with a new one. */
function ticketSubject(query: string) {
  return { purpose: 'sign-in', session: '', query } as const
}

/** Of a session that was too old or too weak, for the address of the page to which its user comes back. */
export function fingerprint(session: Session | undefined): string {
  return sha256(session?.id ?? '').slice(0, 22)
}

// The classes of sign-ins (`acr` and `amr`, OpenID Connect Core 2), which clients ask for and tokens tell (RFC 9470).

/** OpenID Connect Core Error Code unmet_authentication_requirements 1.0. */
export const STEP_UP_ERRORS = defineErrors(
  withCode('unmet_authentication_requirements', {
    acr_values_unknown: 'The server has none of the classes in acr_values. See acr_values_supported',
    acr_values_unmet:
      'The user did not sign in as strongly as acr_values asks. Begin again, or ask for a weaker class',
  }),
)

interface StepUp {
  /** The classes of sign-ins (`acr`), weakest first. A session is of one of them, or of none, which is below all. */
  readonly classes: readonly string[]
  /**
   * Whether a request with `acr_values` gets the error `unmet_authentication_requirements` if its user does not sign in strongly
   * enough. With `false` it gets a code all the same, and the token has the true `acr`. Default true (RFC 9470 5).
   */
  readonly required?: boolean | undefined
}

export interface StepUpOptions {
  /**
   * Step-up authentication: `acr_values` of a request makes its user sign in again if their session is too weak, and `acr`, `amr`
   * and `auth_time` of the sign-in are in tokens and in introspection (RFC 9470 6). `interaction.session` returns `acr` and
   * `amr`; a guard demands them with `requiring`. Default: `acr_values` is ignored, and no token has these.
   */
  readonly stepUp?: StepUp | undefined
}

export interface AuthenticationClasses {
  /** What tokens and introspection show of a grant. */
  shown(grant: Grant): SignInFacts
  /** Weakest first. */
  readonly names: readonly string[]
  /** Whether a request ends with an error if its user cannot sign in strongly enough. */
  readonly required: boolean
  /**
   * The classes that a request asks for and that exist here, in its order.
   *
   * @param acrValues separated by spaces
   * @returns `undefined` if the request asks for none
   * @throws OAuthError `unmet_authentication_requirements` if they are required and none exists
   */
  requested(acrValues: string | undefined): readonly string[] | undefined
  /** Whether the session is at or above one of the requested classes. @throws Error for a session of an unknown class */
  meets(session: Session, requested: readonly string[] | undefined): boolean
  /** For a user who has signed in for this request. @throws OAuthError `unmet_authentication_requirements`, if required */
  requireMet(session: Session, requested: readonly string[] | undefined): void
  /** What the grant keeps. @throws Error for a session of an unknown class */
  factsOf(session: Session): Pick<SignInFacts, 'acr' | 'amr'>
}

const NOTHING = {}

const UNCLASSIFIED: AuthenticationClasses = {
  names: [],
  required: false,
  requested: () => undefined,
  meets: () => true,
  requireMet: () => {},
  factsOf: () => NOTHING,
  shown: () => NOTHING,
}

/** @throws Error that names the option at fault */
export function authenticationClasses(
  { stepUp }: StepUpOptions,
  scopes: ScopeCatalogue,
): AuthenticationClasses {
  if (stepUp === undefined) return UNCLASSIFIED
  const names = checkedClasses('stepUp: classes', stepUp.classes)
  if (names.length === 0) throw new Error('stepUp: classes must name at least one class')
  checkScopes(scopes)
  return classesOf(names, stepUp.required ?? true)
}

/** No claim of the application takes the place of one of the protocol. */
function checkScopes(scopes: ScopeCatalogue): void {
  for (const [scope, { claims = [] }] of Object.entries(scopes)) {
    const taken = claims.find((name) => name === 'acr' || name === 'amr')
    if (taken !== undefined) throw new Error(`stepUp: scope "${scope}" cannot open ${taken}`)
  }
}

function classesOf(names: readonly string[], required: boolean): AuthenticationClasses {
  const meets: AuthenticationClasses['meets'] = (session, requested) => {
    const acr = classOf(names, session)
    return requested === undefined || requested.some((least) => isAtLeast(names, acr, least))
  }
  return {
    names,
    required,
    requested(acrValues) {
      // A parameter of spaces asks for nothing.
      const requested = acrValues?.split(' ').filter((value) => value !== '') ?? []
      const known = [...new Set(requested)].filter((value) => names.includes(value))
      if (required && requested.length > 0 && known.length === 0)
        throw new OAuthError(STEP_UP_ERRORS.acr_values_unknown)
      return known.length === 0 ? undefined : known
    },
    meets,
    requireMet(session, requested) {
      if (required && !meets(session, requested)) throw new OAuthError(STEP_UP_ERRORS.acr_values_unmet)
    },
    factsOf: (session) => ({
      acr: classOf(names, session),
      amr: session.amr?.length ? [...session.amr] : undefined,
    }),
    shown: ({ acr, amr, authTime }) => ({ acr, amr, authTime }),
  }
}

/** A class that only the application knows would be stronger or weaker than it looks. */
function classOf(names: readonly string[], { acr }: Session): string | undefined {
  if (acr !== undefined && !names.includes(acr))
    throw new Error(`stepUp: a session has the acr "${acr}", which is none of the classes`)
  return acr
}
