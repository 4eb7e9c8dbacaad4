import * as z from 'zod'
import type { ServerContext } from '../../feature.ts'
import {
  type DecoupledRequest,
  type DecoupledRequests,
  isOpen,
  requestIn,
  requestRecordId,
} from '../../grants/decoupled-request.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import type { Transient } from '../../kernel/records.ts'
import { sha256 } from '../../kernel/secrets.ts'
import { changeRecord, type Stored } from '../../kernel/store.ts'

/** `endsAt` in epoch seconds, as all times here. */
const OpenRequest = z.object({ requestId: z.string(), clientId: z.string(), endsAt: z.number() })

/**
 * What is open for one user, and whom the user has silenced. One small record for each user, since transients cannot be listed: it
 * bounds how often clients can call a person to a page.
 */
const UserRequests = z.object({
  kind: z.literal('backchannel-user'),
  open: z.array(OpenRequest),
  /** The last request of each client that ended without an answer within a day. */
  unanswered: z.array(OpenRequest),
  denials: z.array(z.object({ clientId: z.string(), at: z.number() })),
  blocks: z.array(z.object({ clientId: z.string(), until: z.number() })),
  /** When all sessions of the user ended: no approval of an earlier request counts. */
  endedAt: z.number().optional(),
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
    'A request of this client still waits for this user. Poll for it, or wait',
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

export async function requestsOf({ transients, server }: UserRequestsContext, key: string) {
  return current((await transients.find(recordId(key)))?.value, server.now())
}

function current(record: Transient | undefined, now: number): UserRequests {
  if (record === undefined)
    return { kind: 'backchannel-user', open: [], unanswered: [], denials: [], blocks: [], expiresAt: now }
  const { open, unanswered, denials, blocks, ...rest } = UserRequests.parse(record)
  const ended = [...unanswered, ...open.filter(({ endsAt }) => endsAt <= now)]
  const lastOfClients = new Map(ended.map((request) => [request.clientId, request]))
  const blocked = blocks.filter(({ until }) => until > now)
  const isBlocked = (clientId: string) => blocked.some((block) => block.clientId === clientId)
  return {
    ...rest,
    open: open.filter(({ endsAt }) => endsAt > now),
    unanswered: [...lastOfClients.values()].filter(
      ({ clientId, endsAt }) => endsAt > now - DAY && !isBlocked(clientId),
    ),
    denials: denials.filter(({ at }) => at > now - DAY),
    blocks: blocked,
  }
}

/** With the time after which it says nothing any more. */
function stored(record: UserRequests, now: number): UserRequests {
  const ends = [
    ...[...record.open, ...record.unanswered].map(({ endsAt }) => endsAt + DAY),
    ...record.denials.map(({ at }) => at + DAY),
    ...record.blocks.map(({ until }) => until),
    ...(record.endedAt === undefined ? [] : [record.endedAt + DAY]),
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

export type Place = z.infer<typeof OpenRequest>

/**
 * Takes a place among the open requests, which a request may have already.
 *
 * @returns when the place ends
 * @throws OAuthError 429 if there is none, 403 if the user wants no requests of this client
 */
export async function openFor(context: UserRequestsContext, key: string, request: Place): Promise<number> {
  const { clientId } = request
  let { endsAt } = request
  await changeRequests(context, key, (seen, now) => {
    if (seen.blocks.some((block) => block.clientId === clientId))
      throw new OAuthError(USER_REQUEST_ERRORS.client_blocked_by_user)
    const own = seen.open.find((other) => other.clientId === clientId)
    if (own?.requestId === request.requestId) {
      endsAt = own.endsAt
      return undefined
    }
    if (own !== undefined)
      throw new OAuthError(USER_REQUEST_ERRORS.request_open, undefined, { retryAfter: own.endsAt - now })
    if (seen.open.length >= MAX_OPEN) {
      const retryAfter = Math.min(...seen.open.map(({ endsAt }) => endsAt)) - now
      throw new OAuthError(USER_REQUEST_ERRORS.too_many_open_requests, undefined, { retryAfter })
    }
    return { ...seen, open: [...seen.open, request] }
  })
  return endsAt
}

/** Takes requests off the list without an answer. */
async function drop(
  context: UserRequestsContext,
  key: string,
  requestIds: readonly string[],
  more: Pick<UserRequests, 'endedAt'> = {},
): Promise<void> {
  await changeRequests(context, key, (seen) => ({
    ...seen,
    ...more,
    open: seen.open.filter(({ requestId }) => !requestIds.includes(requestId)),
  }))
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
  { requestId, clientId, endsAt }: Place,
  answer: 'allowed' | 'denied' | 'never',
): Promise<number | undefined> {
  let blockedUntil: number | undefined
  await changeRequests(context, key, (seen, now) => {
    // A later request of the same id ends later.
    const open = seen.open.filter((other) => other.requestId !== requestId || other.endsAt !== endsAt)
    // A form that is sent twice is one denial.
    const isFirst = open.length < seen.open.length
    if (!isFirst && answer !== 'never') return undefined
    const denials = answer === 'allowed' ? seen.denials : [...seen.denials, { clientId, at: now }]
    const isTooMany = denials.filter((denial) => denial.clientId === clientId).length >= MAX_DENIALS
    const lasts = answer === 'never' ? NEVER : isTooMany ? DAY : undefined
    blockedUntil = lasts && now + lasts
    const unanswered = seen.unanswered.filter((other) => other.clientId !== clientId)
    if (blockedUntil === undefined) return { ...seen, open, unanswered, denials }
    return { ...blocked(seen, clientId, blockedUntil), open }
  })
  return blockedUntil
}

/**
 * Silences a client whose last request ended without an answer: its user was away.
 *
 * @returns that request and the end of the block; `undefined` if there is none
 */
export async function silence(context: UserRequestsContext, key: string, clientId: string) {
  let silenced: { readonly requestId: string; readonly blockedUntil: number } | undefined
  await changeRequests(context, key, (seen, now) => {
    const request = seen.unanswered.find((other) => other.clientId === clientId)
    silenced = request && { requestId: request.requestId, blockedUntil: now + NEVER }
    return silenced && blocked(seen, clientId, silenced.blockedUntil)
  })
  return silenced
}

function blocked(seen: UserRequests, clientId: string, until: number): UserRequests {
  const others = without(seen, clientId)
  return { ...others, blocks: [...others.blocks, { clientId, until }].slice(-MAX_BLOCKS) }
}

function without(seen: UserRequests, clientId: string): UserRequests {
  const isOther = (other: { readonly clientId: string }) => other.clientId !== clientId
  const { unanswered, denials, blocks } = seen
  return {
    ...seen,
    unanswered: unanswered.filter(isOther),
    denials: denials.filter(isOther),
    blocks: blocks.filter(isOther),
  }
}

/** Lets a client ask again. @returns whether it could not */
export async function unblock(context: UserRequestsContext, key: string, clientId: string): Promise<boolean> {
  const written = await changeRequests(context, key, (seen) =>
    seen.blocks.some((block) => block.clientId === clientId) ? without(seen, clientId) : undefined,
  )
  return written !== undefined
}

/**
 * Ends what waits for a user, and approvals of operations that no call has taken: whoever signs in after a reset of the password must
 * not find what somebody else caused before. Their clients get `expired_token`.
 */
export async function endOpenRequests(context: UserRequestsContext, key: string): Promise<void> {
  const requestIds = (await requestsOf(context, key)).open.map(({ requestId }) => requestId)
  for (const requestId of requestIds) await end(context, requestId)
  await drop(context, key, requestIds, { endedAt: context.server.now() })
  // Once more: one that was stored in between has still seen its place.
  for (const requestId of requestIds) await end(context, requestId)
}

async function end({ transients, server, kind }: UserRequestsContext, requestId: string): Promise<void> {
  await changeRecord<Transient>(transients, requestRecordId(kind, requestId), server, (seen) => {
    const request = requestIn(seen)
    const now = server.now()
    return request && isOpen(request, now) ? { ...request, endsAt: now } : undefined
  })
}

/**
 * Stores a request that has a place. If the places of its user were taken away meanwhile, it ends at once: `endOpenRequests` found
 * no record to end.
 *
 * @param over the record of an earlier request of this id, which it replaces
 * @returns whether it waits for its user, and this call stored it
 * @throws whatever the store throws, after giving back the place
 */
export async function storeOpened(
  context: UserRequestsContext,
  key: string,
  requestId: string,
  request: DecoupledRequest,
  over?: Stored<Transient>,
): Promise<boolean> {
  const { transients, kind } = context
  const id = requestRecordId(kind, requestId)
  const { expiresAt } = request
  try {
    const isStored = await (over === undefined
      ? transients.insert(id, request, expiresAt)
      : transients.replace(id, over, request, expiresAt))
    const { open } = await requestsOf(context, key)
    const hasPlace = open.some((other) => other.requestId === requestId)
    if (!hasPlace) await end(context, requestId)
    return hasPlace && isStored
  } catch (error) {
    // It may be stored all the same, and must not wait without a place. If this fails too, its place ends with it.
    await end(context, requestId)
      .then(() => drop(context, key, [requestId]))
      .catch(() => {})
    throw error
  }
}
