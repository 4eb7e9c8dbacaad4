/** When a message is tried again, and what an answer means for it. */
import type { MessagePostResponse } from '../http/message-post.ts'
import type { Random } from '../kernel/secrets.ts'

/** Seconds between the attempts: 0, 5, 30 s, 2, 10 min, 1, 6 and 24 h after the message was stored. */
const WAITS = [5, 25, 90, 480, 3000, 18_000, 64_800]
const MAX_RETRY_AFTER = 3600

/** @returns seconds until the next attempt; infinite after the last one */
export function waitAfter(attempts: number, random: Random, { retryAfter = 0 } = {}): number {
  const wait = WAITS[attempts - 1]
  if (wait === undefined) return Number.POSITIVE_INFINITY
  // Up to a tenth more, so that what failed together does not come back together.
  const jitter = Math.ceil((wait / 10) * ((random(1)[0] ?? 0) / 255))
  return Math.max(wait + jitter, Math.min(retryAfter, MAX_RETRY_AFTER))
}

/** What the answer to an attempt means. */
export type Outcome =
  | { readonly kind: 'delivered' }
  /** The receiver does not want it: repeating does not help. */
  | { readonly kind: 'refused'; readonly status: number }
  | {
      readonly kind: 'again'
      readonly status?: number | undefined
      /** Why there was no answer. */
      readonly fault?: string | undefined
      /** Seconds that the receiver asks for. */
      readonly retryAfter?: number | undefined
    }

/** Only an error that may pass is worth another attempt (Back-Channel Logout 2.5). */
function isFinal(status: number): boolean {
  return status !== 408 && status !== 429 && status < 500
}

export function outcomeOf(
  { status, headers }: MessagePostResponse,
  now: number,
  refuses: (status: number) => boolean = isFinal,
): Outcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  if (refuses(status)) return { kind: 'refused', status }
  return { kind: 'again', status, retryAfter: retryAfterIn(headers['retry-after'], now) }
}

/** Seconds, or a date (RFC 9110 10.2.3). */
function retryAfterIn(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : Date.parse(header) / 1000 - now
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}

/** @param thrown by a `MessagePost` */
export function faultOf(thrown: unknown): Outcome {
  const { code } = Object(thrown)
  return { kind: 'again', fault: typeof code === 'string' ? code : 'unknown' }
}
