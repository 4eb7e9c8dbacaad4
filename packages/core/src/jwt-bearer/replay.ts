/** Records that an assertion was used. The store decides, so that it holds on all replicas. */
import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import { type Hash, sha256 } from '../kernel/secrets.ts'
import type { Transients } from '../kernel/store.ts'
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

/** Exactly one request with this assertion succeeds. @throws OAuthError `invalid_grant` */
export async function useOnce(transients: Transients, id: Hash, exp: number): Promise<void> {
  const expiresAt = markedUntil(exp)
  if (!(await transients.insert(id, { kind: 'seen', expiresAt }, expiresAt)))
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_replayed)
}

/** Platforms reuse a token for most of its life: one for each restart of a program is enough. */
const MAX_USES = 20
/** More lost races than this on one assertion are an attack or a fault. */
const MAX_ATTEMPTS = 16

/** At most 20 requests with this assertion succeed. @throws OAuthError `invalid_grant` */
export async function countUse(
  transients: Transients,
  id: Hash,
  exp: number,
  ports: WaitingPorts,
): Promise<void> {
  const expiresAt = markedUntil(exp)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (attempt > 0) await pauseAfter(attempt - 1, ports)
    const seen = await transients.find(id)
    const uses = Number(seen?.value.uses ?? 0)
    if (uses >= MAX_USES) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_replayed)
    const record = { kind: 'assertion uses', uses: uses + 1, expiresAt }
    const isWritten =
      seen === undefined
        ? await transients.insert(id, record, expiresAt)
        : await transients.replace(id, seen, record, expiresAt)
    if (isWritten) return
  }
  throw new OAuthError(SERVER_ERRORS.contention)
}
