/** Records that an assertion was used. The store decides, so that it holds on all replicas. */
import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import type { Transient } from '../kernel/records.ts'
import { type Hash, sha256 } from '../kernel/secrets.ts'
import type { Stored, Transients } from '../kernel/store.ts'
import { pauseAfter, type WaitingPorts } from '../kernel/time.ts'
import { JWT_GRANT_ERRORS } from './jwt-grant-errors.ts'

/** Names an assertion: its profile, its issuer, and its `jti` or its text. */
export function assertionId(...parts: readonly string[]): Hash {
  return sha256(JSON.stringify(['jwt bearer', ...parts]))
}

/** A mark outlives the assertion on every replica: the clock of the store may be ahead of theirs, which tolerate others too. */
function markedUntil(exp: number): number {
  return exp + 2 * CLOCK_TOLERANCE
}

/** How an assertion is used up. */
export interface AssertionUse {
  /** Refuses an assertion that is used up, before it counts for any limit. @throws OAuthError `invalid_grant` */
  require(): Promise<void>
  /** The last step before the grant is stored. @throws OAuthError `invalid_grant` for all but one of several at once */
  mark(): Promise<void>
}

/** For assertions that are accepted until they expire. */
export const UNCOUNTED: AssertionUse = { require: async () => {}, mark: async () => {} }

/** Exactly one request with this assertion succeeds. */
export function onceOnly(transients: Transients, id: Hash, exp: number): AssertionUse {
  const expiresAt = markedUntil(exp)
  return {
    async require() {
      if (await transients.find(id)) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_replayed)
    },
    async mark() {
      if (!(await transients.insert(id, { kind: 'seen', expiresAt }, expiresAt)))
        throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_replayed)
    },
  }
}

/** Platforms reuse a token for most of its life: one for each restart of a program is enough. */
const MAX_USES = 20
/** More lost races than this on one assertion are an attack or a fault. */
const MAX_ATTEMPTS = 16

/** At most 20 requests with this assertion succeed. */
export function severalTimes(
  transients: Transients,
  id: Hash,
  exp: number,
  ports: WaitingPorts,
): AssertionUse {
  const usesOf = (seen: Stored<Transient> | undefined) => {
    const uses = Number(seen?.value.uses ?? 0)
    if (uses >= MAX_USES) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_replayed)
    return uses
  }
  return {
    async require() {
      usesOf(await transients.find(id))
    },
    mark: () => countUse(transients, id, { expiresAt: markedUntil(exp), usesOf, ports }),
  }
}

interface Counted {
  /** Epoch seconds. */
  readonly expiresAt: number
  /** @throws OAuthError if there are enough */
  readonly usesOf: (seen: Stored<Transient> | undefined) => number
  readonly ports: WaitingPorts
}

async function countUse(
  transients: Transients,
  id: Hash,
  { expiresAt, usesOf, ports }: Counted,
): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (attempt > 0) await pauseAfter(attempt - 1, ports)
    const seen = await transients.find(id)
    const record = { kind: 'assertion uses', uses: usesOf(seen) + 1, expiresAt }
    const isWritten =
      seen === undefined
        ? await transients.insert(id, record, expiresAt)
        : await transients.replace(id, seen, record, expiresAt)
    if (isWritten) return
  }
  throw new OAuthError(SERVER_ERRORS.contention)
}
