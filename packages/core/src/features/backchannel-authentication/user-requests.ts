import * as z from 'zod'
import type { ServerContext } from '../../feature.ts'
import { type DecoupledRequests, isOpen, requestIn, requestRecordId } from '../../grants/decoupled-request.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import type { Transient } from '../../kernel/records.ts'
import { sha256 } from '../../kernel/secrets.ts'
import { changeRecord } from '../../kernel/store.ts'

/**
 * What is open for one user, and whom the user has silenced. One small record for each user, since transients cannot be listed: it
 * bounds how often clients can call a person to a page.
 */
const UserRequests = z.object({
  kind: z.literal('backchannel-user'),
  /** `endsAt` in epoch seconds, as all times here. */
  open: z.array(z.object({ requestId: z.string(), clientId: z.string(), endsAt: z.number() })),
  denials: z.array(z.object({ clientId: z.string(), at: z.number() })),
  blocks: z.array(z.object({ clientId: z.string(), until: z.number() })),
  expiresAt: z.number(),
})
type UserRequests = z.infer<typeof UserRequests>

/** Open requests of one user, of all clients. */
const MAX_OPEN = 5
const MAX_DENIALS = 3
const DAY = 24 * 60 * 60
/** What "never" means, for a record that must end. */
const NEVER = 366 * DAY
/** Of clients that the user silenced: the oldest goes first. */
const MAX_BLOCKS = 50

export const USER_REQUEST_ERRORS = defineErrors({
  request_open: [
    'temporarily_unavailable',
    'A request of this client still waits for this user. Poll for that one',
    429,
  ],
  too_many_open_requests: [
    'temporarily_unavailable',
    'Too many requests wait for this user. Try again later',
    429,
  ],
  client_blocked_by_user: ['access_denied', 'The user does not want to be asked by this client'],
})

export interface UserRequestsContext extends DecoupledRequests {
  readonly server: ServerContext
}

/** @param key of the user: the same for every client. A name that no user has has one too, so that it is answered alike */
const recordId = (key: string) => `backchannel-user ${key}`

/** Of a user. Grants name their user too, so a plain hash tells no more. */
export function keyOfUser(subject: string): string {
  return sha256(`user\n${subject}`)
}

/** What the record of a user says now. */
export async function requestsOf({ transients, server }: UserRequestsContext, key: string) {
  return current((await transients.find(recordId(key)))?.value, server.now())
}

function current(record: Transient | undefined, now: number): UserRequests {
  if (record === undefined)
    return { kind: 'backchannel-user', open: [], denials: [], blocks: [], expiresAt: now }
  const { open, denials, blocks, ...rest } = UserRequests.parse(record)
  return {
    ...rest,
    open: open.filter(({ endsAt }) => endsAt > now),
    denials: denials.filter(({ at }) => at > now - DAY),
    blocks: blocks.filter(({ until }) => until > now),
  }
}

/** With the time after which it says nothing any more. */
function stored(record: UserRequests, now: number): UserRequests {
  const ends = [
    ...record.open.map(({ endsAt }) => endsAt),
    ...record.denials.map(({ at }) => at + DAY),
    ...record.blocks.map(({ until }) => until),
  ]
  return { ...record, expiresAt: Math.max(now + 1, ...ends) }
}

function changeRequests(
  { transients, server }: UserRequestsContext,
  key: string,
  next: (seen: UserRequests, now: number) => UserRequests | undefined,
): Promise<Transient | undefined> {
  return changeRecord<Transient>(transients, recordId(key), server, (seen) => {
    const now = server.now()
    const changed = next(current(seen, now), now)
    return changed && stored(changed, now)
  })
}

/** Takes a place among the open requests. @throws OAuthError 429 if there is none, 403 if the user wants no requests of this client */
export async function openFor(
  context: UserRequestsContext,
  key: string,
  request: UserRequests['open'][number],
): Promise<void> {
  const { clientId } = request
  await changeRequests(context, key, (seen, now) => {
    if (seen.blocks.some((block) => block.clientId === clientId))
      throw new OAuthError(USER_REQUEST_ERRORS.client_blocked_by_user)
    const own = seen.open.find((other) => other.clientId === clientId)
    if (own !== undefined)
      throw new OAuthError(USER_REQUEST_ERRORS.request_open, undefined, { retryAfter: own.endsAt - now })
    if (seen.open.length >= MAX_OPEN) {
      const retryAfter = Math.min(...seen.open.map(({ endsAt }) => endsAt)) - now
      throw new OAuthError(USER_REQUEST_ERRORS.too_many_open_requests, undefined, { retryAfter })
    }
    return { ...seen, open: [...seen.open, request] }
  })
}

/**
 * Takes an answered request off the list. The third denial within a day silences the client for a day.
 *
 * @param answer `never`: the user wants no more requests of this client
 * @returns the end of a block that this answer begins
 */
export async function close(
  context: UserRequestsContext,
  key: string,
  { requestId, clientId }: { readonly requestId: string; readonly clientId: string },
  answer: 'allowed' | 'denied' | 'never',
): Promise<number | undefined> {
  let blockedUntil: number | undefined
  await changeRequests(context, key, (seen, now) => {
    const open = seen.open.filter((other) => other.requestId !== requestId)
    // A form that is sent twice is one denial.
    const isFirst = open.length < seen.open.length
    if (!isFirst && answer !== 'never') return undefined
    const denials = answer === 'allowed' ? seen.denials : [...seen.denials, { clientId, at: now }]
    const isTooMany = denials.filter((denial) => denial.clientId === clientId).length >= MAX_DENIALS
    const lasts = answer === 'never' ? NEVER : isTooMany && answer === 'denied' ? DAY : undefined
    blockedUntil = lasts && now + lasts
    if (blockedUntil === undefined) return { ...seen, open, denials }
    const others = without(seen, clientId)
    const blocks = [...others.blocks, { clientId, until: blockedUntil }].slice(-MAX_BLOCKS)
    return { ...others, open, blocks }
  })
  return blockedUntil
}

function without(seen: UserRequests, clientId: string): UserRequests {
  const isOther = (other: { readonly clientId: string }) => other.clientId !== clientId
  return { ...seen, denials: seen.denials.filter(isOther), blocks: seen.blocks.filter(isOther) }
}

/** Lets a client ask again. @returns whether it could not */
export async function unblock(context: UserRequestsContext, key: string, clientId: string): Promise<boolean> {
  const written = await changeRequests(context, key, (seen) =>
    seen.blocks.some((block) => block.clientId === clientId) ? without(seen, clientId) : undefined,
  )
  return written !== undefined
}

/**
 * Ends what waits for a user: whoever signs in after a reset of the password must not find what somebody else caused before. Their
 * clients get `expired_token`.
 */
export async function endOpenRequests(context: UserRequestsContext, key: string): Promise<void> {
  const { transients, server, kind } = context
  const { open } = await requestsOf(context, key)
  for (const { requestId } of open)
    await changeRecord<Transient>(transients, requestRecordId(kind, requestId), server, (seen) => {
      const request = requestIn(seen)
      const now = server.now()
      return request && isOpen(request, now) ? { ...request, endsAt: now } : undefined
    })
  if (open.length > 0) await changeRequests(context, key, (seen) => ({ ...seen, open: [] }))
}
