import { createHash } from 'node:crypto'
import type { ServerSecret, Store } from '@grantkit/core'
import * as z from 'zod'
import { storeErrorsAs503 } from '../database/errors-as-503.ts'
import { cookieOf } from '../http/cookies.ts'
import { CLOCK_TOLERANCE, hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'

/** The challenges of one ceremony: each is bound to one browser, and is valid once (WebAuthn 13.4.3). */
export interface Challenges {
  /** The cookie with a challenge and its account. */
  remember(challenge: string, subject?: string): string
  /** @param cookies the Cookie header of a request */
  read(cookies: string | undefined): Challenge | undefined
  /**
   * Whether this is the first use. Called after the ceremony succeeded, so that unauthenticated callers write nothing.
   */
  redeem(challenge: Challenge): Promise<boolean>
}

export interface ChallengeOptions {
  readonly secret: ServerSecret
  readonly baseUrl: string
  readonly store: Store
}

const Challenge = z.object({ challenge: z.string(), subject: z.string(), exp: z.number() })
export type Challenge = z.output<typeof Challenge>

const CHALLENGE_SECONDS = 5 * 60

export function challengesInCookies(
  { secret, baseUrl, store: { transients } }: ChallengeOptions,
  ceremony: 'sign-in' | 'registration',
): Challenges {
  if (transients === undefined) throw new Error('The store must keep transients')
  const key = hmacKeys(secret, `passkey ${ceremony}`)
  const cookie = cookieOf(`passkey-${ceremony}`, baseUrl)
  const used = storeErrorsAs503({
    add: (id: string, expiresAt: number) =>
      transients.insert(id, { kind: 'passkey_challenge', expiresAt }, expiresAt),
  })
  return {
    remember: (challenge, subject = '') =>
      cookie.set(signValue(key, { challenge, subject }, CHALLENGE_SECONDS), CHALLENGE_SECONDS),
    read: (cookies) => verifyValue(key, cookie.read(cookies), Challenge, CHALLENGE_SECONDS),
    redeem: ({ challenge, exp }) => used.add(`passkey challenge ${hashOf(challenge)}`, exp + CLOCK_TOLERANCE),
  }
}

function hashOf(challenge: string): string {
  return createHash('sha256').update(challenge).digest('base64url')
}
