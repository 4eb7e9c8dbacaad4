import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { sha256 } from '../kernel/secrets.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import type { Session } from './interaction.ts'
import { openTicket, sealTicket } from './ticket.ts'

/**
 * Marks a request that has sent its user to sign in. `prompt=login` and `max_age` then apply once, and not again when
 * the user comes back. The mark holds the time and the session that was too old.
 */
const PARAMETER = 'sign_in_ticket'
const MARK = new RegExp(`&${PARAMETER}=([\\w.-]*)$`)

/** Appends our parameter, so that the client's query stays as it was sent. */
export function markSignIn(
  { secret, kernel }: AuthorizationContext,
  query: string,
  session: Session | undefined,
): string {
  const ticket = sealTicket(secret, ticketSubject(query), kernel.now(), fingerprint(session))
  return `${query}&${PARAMETER}=${ticket}`
}

export function splitSignInTicket(query: string): { readonly query: string; readonly ticket: string } {
  const mark = MARK.exec(query)
  return { query: query.slice(0, mark?.index), ticket: mark?.[1] ?? '' }
}

/** Whether the session began after this request had sent the user to sign in, and that is recent. */
export function signedInSince(
  { secret, kernel, lifetimes }: AuthorizationContext,
  query: string,
  ticket: string,
  session: Session | undefined,
): boolean {
  const demandedAt = openTicket(secret, ticketSubject(query), ticket)
  if (demandedAt === undefined || session === undefined) return false
  const fresh = kernel.now() - demandedAt <= lifetimes.consentTicket
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
