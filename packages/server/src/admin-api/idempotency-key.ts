import { OAuthError, type Store } from '@grantkit/core'
import { defineErrors, sha256 } from '@grantkit/core/feature'
import type { Actor } from '../audit/actor.ts'
import { DAY_SECONDS } from '../time-units.ts'

/**
 * Does `work` once for a caller and a key of theirs; without a key, every time. A key whose work failed can be used
 * again.
 *
 * @throws OAuthError `conflict` for a key that was used in the last 24 hours
 */
export type OnceOnly = <Result>(
  caller: Actor,
  key: string | undefined,
  work: () => Promise<Result>,
) => Promise<Result>

const KEY_ERRORS = defineErrors({
  idempotency_key_used: [
    'conflict',
    'A request with this Idempotency-Key has succeeded; its answer, which may have a secret, is not kept',
    409,
  ],
})

export function onceOnly({ transients }: Store): OnceOnly {
  return async (caller, key, work) => {
    if (key === undefined || transients === undefined) return work()
    const id = `admin-api:${sha256(JSON.stringify([caller, key]))}`
    const expiresAt = Math.floor(Date.now() / 1000) + DAY_SECONDS
    const isNew = await transients.insert(id, { kind: 'admin_api_request', expiresAt }, expiresAt)
    if (!isNew) throw new OAuthError(KEY_ERRORS.idempotency_key_used)
    try {
      return await work()
    } catch (error) {
      await transients.remove(id)
      throw error
    }
  }
}
