/** The revocation feed, for guards without the store: it lists revoked grants and tokens that have not expired yet. */
import * as z from 'zod'
import type { Feature } from '../../feature.ts'
import { endpointPath } from '../../http/endpoint.ts'
import { json } from '../../http/http.ts'
import { readMessage } from '../../http/message.ts'
import { CLOCK_TOLERANCE } from '../../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import {
  entryId,
  KEPT_SECONDS,
  OPEN_SECONDS,
  type Revocations,
  streamsIn,
} from '../../kernel/revocation-log.ts'
import type { Transients } from '../../kernel/store.ts'

export const FEED_ERRORS = defineErrors({
  feed_not_for_client: [
    'invalid_client',
    'Only a resource server may read the revocation feed. Ask the operator to register one',
  ],
})

export interface RevocationFeedOptions {
  /** The path below the issuer. Default `/api/oauth/ended`. */
  readonly path?: string | undefined
}

/** `since`: the `next` of the previous answer. Without it, the answer has all entries that have not expired. */
const FeedRequest = z.object({ since: z.string().max(16_384).optional() })

/**
 * Publishes revoked grants and tokens, whichever process revoked them. Resource servers authenticate as they do for
 * introspection.
 *
 * @throws Error if the store has no transients, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { jwtAccessTokens, revocationFeed } from '@grantkit/core/jwt-access-tokens'
 *
 * const features = [jwtAccessTokens({ resources: { [issuer]: {} } }), revocationFeed()]
 * export const authorization = createAuthorizationServer({
 *   ...{ issuer, store, scopes, secret, interaction, keys, claims, features },
 * })
 * ```
 */
export function revocationFeed({ path }: RevocationFeedOptions = {}): Feature {
  return ({ store: { transients }, now }) => {
    if (transients === undefined) throw new Error('revocationFeed: the store has no transients')
    return {
      errors: FEED_ERRORS,
      clientEndpoints: [
        {
          path: endpointPath('ended', path, '/api/oauth/ended'),
          summary: 'The revocation feed, for resource servers that verify tokens themselves',
          message: FeedRequest,
          confidential: true,
          begin(form) {
            const { since } = readMessage(FeedRequest, form)
            return async (client) => {
              if (client.resourceServer !== true) throw new OAuthError(FEED_ERRORS.feed_not_for_client)
              const { entries, next } = await readRevocations(transients, now(), since)
              return json(200, { ended: entries, next })
            }
          },
        },
      ],
    }
  }
}

/** A reader looks so many numbers beyond the end of a stream. Each costs a read, so it does in streams that may still grow. */
const LOOK_AHEAD = 3
/** Each command has a stream, and a reader sends their names back. The entries of a stream without a name come again. */
const MAX_NAMED = 400

/**
 * @param now epoch seconds
 * @param after `next` of an earlier call; without it, everything that a guard could still honour
 */
export async function readRevocations(transients: Transients, now: number, after = '') {
  const seen = new Map([...after.matchAll(/([\w-]+)\.(\d{1,9})/g)].map(([, id, next]) => [id, Number(next)]))
  const streams = await Promise.all(
    (await streamsIn(transients)).map(async ({ id, expiresAt }) => {
      const start = seen.get(id)
      const mayGrow = expiresAt > now + KEPT_SECONDS - OPEN_SECONDS - CLOCK_TOLERANCE
      const ahead = start === undefined || mayGrow ? LOOK_AHEAD : 0
      return { id, ...(await entriesFrom(transients, id, start ?? 0, ahead)) }
    }),
  )
  return {
    entries: streams.flatMap(({ entries }) => entries),
    next: streams
      .toSorted((one, other) => other.next - one.next)
      .slice(0, MAX_NAMED)
      .map(({ id, next }) => `${id}.${next}`)
      .join(' '),
  }
}

const MAX_STEP = 64

/** In growing steps: most streams have nothing new. @param ahead how many numbers after a missing one are looked at */
async function entriesFrom(transients: Transients, stream: string, start: number, ahead: number) {
  const entries: string[] = []
  const recordAt = async (number: number) =>
    (await transients.find(entryId(stream, number)))?.value as Revocations | undefined
  let next = start
  for (let step = 1 + ahead; ; step = Math.min(2 * step, MAX_STEP)) {
    const numbers = Array.from({ length: step }, (_, more) => next + more)
    const found = await Promise.all(numbers.map(recordAt))
    const last = found.findLastIndex((record) => record !== undefined)
    const missing = numbers.filter((_, at) => at < last && found[at] === undefined)
    // All before the last one were written before it: what is still missing now is lost, and readers go on behind it.
    const late = await Promise.all(missing.map(recordAt))
    for (let at = 0; at <= last; at++) entries.push(...((found[at] ?? late.shift())?.entries ?? []))
    next += last + 1
    if (last + 1 < step) return { entries, next }
  }
}
