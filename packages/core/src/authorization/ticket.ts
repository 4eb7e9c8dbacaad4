import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import {
  type AcceptedSecrets,
  type GrantId,
  hmacSha256,
  newId,
  type Random,
  type Secret,
  sameSecret,
  sha256,
} from '../kernel/secrets.ts'

/**
 * Tickets carry a decision of this server in the URL or the form, without a stored record. A ticket is an HMAC over everything
 * that the decision depends on, so it is worthless for another session, query or time.
 */
export interface TicketSubject {
  /** The kind of ticket: one kind is never accepted as another. */
  readonly purpose: string
  readonly session: string
  readonly query: string
}

/** The purposes of the tickets of the authorization endpoint. */
export const TICKET_PURPOSES = ['consent', 'sign-in', 'pushed']

/** Tickets of one purpose, for the forms of a feature. */
export interface Tickets {
  /** @param time when it ends, in epoch seconds */
  seal(about: Omit<TicketSubject, 'purpose'>, time: number): string
  /** The time in a genuine ticket, or `undefined`. */
  open(about: Omit<TicketSubject, 'purpose'>, ticket: string): number | undefined
}

/** @throws Error for a name that could be mistaken for the start of another ticket */
export function ticketsFor(purpose: string, secrets: AcceptedSecrets, random: Random): Tickets {
  if (!/^[a-z][a-z0-9-]*$/.test(purpose)) throw new Error(`tickets: "${purpose}" cannot be a purpose`)
  return {
    seal: (about, time) => sealTicket(secrets, { purpose, ...about }, time, newId(random)),
    open: (about, ticket) => openTicket(secrets, { purpose, ...about }, ticket)?.time,
  }
}

/** `<time>.<nonce>.<mac>`; `time` is when it ends (consent) or when it began (sign-in, pushed), in epoch seconds. */
export function sealTicket(
  [secret]: AcceptedSecrets,
  about: TicketSubject,
  time: number,
  nonce: string,
): string {
  return `${time}.${nonce}.${mac(secret, about, String(time), nonce)}`
}

/** The content of a genuine ticket and the secret that made it, or `undefined`. The caller decides what its time means. */
export function openTicket(secrets: AcceptedSecrets, about: TicketSubject, ticket: string) {
  // Exactly three parts: anything after them would be another ticket for `grantOfTicket`.
  const [, time, nonce = '', presented = ''] = /^([0-9]{1,12})\.([^.]*)\.([^.]+)$/.exec(ticket) ?? []
  // Most requests carry none. Whether a text has this form is no secret, so only a real one is worth a MAC.
  if (time === undefined) return undefined
  const secret = secrets.find((accepted) => sameSecret(presented, mac(accepted, about, time, nonce)))
  return secret === undefined ? undefined : { time: Number(time), nonce, secret }
}

/** The part of a consent ticket that makes it unique, and identifies the document of the client that the user is shown. */
export function consentNonce(id: string, { document }: Client): string {
  return `${id}${document?.hash ?? ''}`
}

/** The hash of the document that the user of a consent ticket was shown, from its nonce; empty if there was none. */
export function shownDocument(nonce: string): string {
  return nonce.slice(ID_LENGTH)
}

const ID_LENGTH = 22

/**
 * The id and code of the grant that a consent ticket opens. Both are derived from the ticket, so one approval never
 * opens two grants or yields two codes, no matter how often the form is sent.
 *
 * @param secret that made the ticket
 */
export function grantOfTicket(secret: string, ticket: string) {
  return {
    id: hmacSha256(secret, `grant id\n${ticket}`).slice(0, 22) as GrantId,
    code: hmacSha256(secret, `code\n${ticket}`) as Secret,
  }
}

/** The id of the one grant that a request with a name can open, whichever form of it is answered, and whichever secret made that. */
export function namedGrantId(name: string): GrantId {
  return sha256(`pushed grant id\n${name}`).slice(0, 22) as string as GrantId
}

/** When a ticket that is spent `now` has ended on every replica. Times in seconds. */
export function spentUntil(now: number, { consentTicket }: { readonly consentTicket: number }): number {
  return now + consentTicket + CLOCK_TOLERANCE
}

function mac(secret: string, about: TicketSubject, time: string, nonce: string): string {
  // Each field is of fixed length or free of line breaks, so no two subjects have the same text.
  return hmacSha256(
    secret,
    [about.purpose, sha256(about.session), sha256(about.query), time, nonce].join('\n'),
  )
}
