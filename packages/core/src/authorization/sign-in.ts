import { CLOCK_TOLERANCE, type Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { type AcceptedSecrets, sha256 } from '../kernel/secrets.ts'
import type { Session } from './interaction.ts'
import { openTicket, sealTicket } from './ticket.ts'

export const PROMPT_ERRORS = defineErrors({
  prompt_invalid: ['invalid_request', 'prompt must be login, consent or select_account, or none alone'],
  sign_in_needed: ['login_required', 'The user is not signed in. Send the request again without prompt=none'],
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
  /** The user has already signed in for this request. */
  readonly satisfied: boolean
}

/** Whether the user has to sign in (again) before the request continues. */
export function signInNeeded(session: Session | undefined, demand: SignInDemand, now: number): boolean {
  if (session === undefined) return true
  if (demand.satisfied) return false
  const requested = demand.prompts.includes('login') || demand.prompts.includes('select_account')
  const { maxAge } = demand
  return (
    requested ||
    demand.weak === true ||
    maxAge === 0 ||
    (maxAge !== undefined && now - session.authTime > maxAge)
  )
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

/** The members of a request that may demand a fresh sign-in. */
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

/** Whether the session began after this request had sent the user to sign in, and that is recent. */
export function signedInSince(
  { secret, kernel, lifetimes }: SignInContext,
  query: string,
  ticket: string,
  session: Session | undefined,
): boolean {
  const demandedAt = openTicket(secret, ticketSubject(query), ticket)
  if (demandedAt === undefined || session === undefined) return false
  const fresh = kernel.now() - demandedAt < lifetimes.consentTicket
  const since = session.authTime >= demandedAt - CLOCK_TOLERANCE
  return fresh && since && ticket.split('.')[1] !== fingerprint(session)
}

/** Not bound to a session: the user comes back with a new one. */
function ticketSubject(query: string) {
  return { purpose: 'sign-in', session: '', query } as const
}

function fingerprint(session: Session | undefined): string {
  return sha256(session?.id ?? '').slice(0, 22)
}
