/**
 * The second group of a reference: the reason of the error and the minute, encrypted. So an operator can read the error
 * even if no step of it was kept. It is no proof: an invented group may happen to decrypt to a reason.
 */
import { createHmac, createSecretKey } from 'node:crypto'
import type { ServerSecret } from '@grantkit/core'
import { acceptedSecrets, derivedKey } from '@grantkit/core/internal'
import { REASONS } from './reasons.ts'
import { base32, groupsOf, numberIn } from './reference.ts'

/** Of the reason. 0 is the reason of a feature that has no number. */
const REASON_BITS = 9
/** Of the minute: 45 days. */
const MINUTE_BITS = 16
const MINUTES = 2 ** MINUTE_BITS
/** Five bits each. */
const LENGTH = (REASON_BITS + MINUTE_BITS) / 5

interface SecondGroups {
  /** @param now epoch seconds */
  seal(reference: string, reason: string, now: number): string
  open(reference: string, group: string): { readonly reason: number; readonly minute: number }
}

export function secondGroups(secret: string): SecondGroups {
  const permute = permutation(secret)
  return {
    seal(reference, reason, now) {
      const minute = Math.floor(now / 60) % MINUTES
      return base32(permute(reference, numberOf(reason) * MINUTES + minute, ROUNDS), LENGTH)
    },
    open(reference, group) {
      const content = permute(reference, numberIn(group), [...ROUNDS].reverse())
      return { reason: Math.floor(content / MINUTES), minute: content % MINUTES }
    },
  }
}

/** The credential of another client is for its caller as unknown as a made-up one: the group must not tell them apart. */
function numberOf(reason: string): number {
  const shown = REASONS.indexOf(reason.replace(/_of_other_client$/, '_unknown'))
  return (shown === -1 ? REASONS.indexOf(reason) : shown) + 1
}

/** What a reference with two groups says by itself. */
export interface LongReference {
  /** 8 characters, without a dash. */
  readonly reference: string
  /** The reason of the error; absent if it is one of a feature of yours. */
  readonly reason?: string | undefined
  /** When it was answered, in epoch seconds: the beginning of the minute. References are read for 45 days. */
  readonly at: number
}

/**
 * Reads the second group of a reference.
 *
 * @param secret of the server
 * @param now epoch seconds
 * @returns `undefined` if the text has no second group, or one that no accepted secret has made
 *
 * @example
 * ```ts with:server
 * import { readLongReference } from '@grantkit/explain'
 *
 * const now = Math.floor(Date.now() / 1000)
 * const read = readLongReference('7K3M-Q2WD-R4X8A', secret, now)
 * if (read !== undefined) console.log(read.reason, new Date(1000 * read.at))
 * ```
 */
export function readLongReference(
  text: string,
  secret: ServerSecret,
  now: number,
): LongReference | undefined {
  const groups = groupsOf(text)
  if (groups?.second === undefined) return undefined
  const { reference, second } = groups
  for (const accepted of acceptedSecrets(secret)) {
    const { reason, minute } = secondGroups(accepted).open(reference, second)
    if (reason <= REASONS.length)
      return { reference, reason: REASONS[reason - 1], at: 60 * latestMinute(minute, Math.floor(now / 60)) }
  }
  return undefined
}

/** By how much the clock of another replica may be ahead, in minutes. */
const AHEAD = 2

/** The latest minute with these last bits. @param now minutes since the epoch */
function latestMinute(bits: number, now: number): number {
  const latest = now + AHEAD
  return latest - ((latest - bits) % MINUTES)
}

/** The halves of the 25 bits: 12 and 13. */
const LEFT = 2 ** 12
const RIGHT = 2 ** 13
const ROUNDS = [0, 1, 2, 3, 4, 5]

/**
 * A permutation of the numbers of 25 bits, another one for each reference: a Feistel network, whose rounds in reverse order
 * undo it. No cipher of Node has blocks this short. The keys of the rounds are one HMAC: a flood of errors must cost little, and
 * what is hidden is no secret.
 */
function permutation(secret: string) {
  const key = createSecretKey(derivedKey('second groups of references', secret))
  return (reference: string, number: number, rounds: readonly number[]): number => {
    const keys = createHmac('sha256', key).update(reference).digest()
    const mask = (round: number, half: number) => Math.imul(half + 1, keys.readInt32LE(4 * round) | 1) >>> 19
    let left = Math.floor(number / RIGHT)
    let right = number % RIGHT
    for (const round of rounds)
      if (round % 2 === 0) left = (left ^ mask(round, right)) % LEFT
      else right = (right ^ mask(round, left)) % RIGHT
    return left * RIGHT + right
  }
}
