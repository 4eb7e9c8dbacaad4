import { randomUUID } from 'node:crypto'
import { OAuthError, type Store } from '@grantkit/core'
import { defineErrors, sha256, type Transient, type Transients } from '@grantkit/core/feature'
import type { Actor } from '../audit/actor.ts'
import { storeErrorsAs503 } from '../database/errors-as-503.ts'
import { DAY_SECONDS } from '../time-units.ts'

/**
 * Does `work` once for a caller and a key of theirs; without a key, every time. A key whose work was refused can be used
 * again. After any other error it may have been done, so the key stays taken.
 *
 * @throws OAuthError `conflict` for a key that was used in the last 24 hours; `temporarily_unavailable`
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
  idempotency_key_in_use: [
    'conflict',
    'A request with this Idempotency-Key is being carried out. Try again',
    409,
  ],
  idempotency_outcome_unknown: [
    'conflict',
    'A request with this Idempotency-Key may have been carried out, and its answer was lost. See what it changed before you send it with another key',
    409,
  ],
})

interface KeyRecord extends Transient {
  readonly kind: 'admin_api_request'
  /** Absent in records of an earlier release, which said nothing else. */
  readonly state?: 'begun' | 'unknown' | 'done' | undefined
  /** The request that has the key. */
  readonly request?: string | undefined
  /** Epoch seconds. */
  readonly begunAt: number
}

/** Longer than any request takes. What began earlier was ended with its process. */
const MAX_SECONDS = 60

export function onceOnly(store: Store, now = () => Math.floor(Date.now() / 1000)): OnceOnly {
  const transients = store.transients && unavailableAs503(store.transients)
  return async (caller, key, work) => {
    if (key === undefined || transients === undefined) return work()
    const id = `admin-api:${sha256(JSON.stringify([caller, key]))}`
    const [begunAt, expiresAt] = [now(), now() + DAY_SECONDS]
    const request = randomUUID()
    const begun: KeyRecord = { kind: 'admin_api_request', state: 'begun', request, begunAt, expiresAt }
    const isNew = await transients.insert(id, begun, expiresAt).catch(async (error: unknown) => {
      // Nothing was done, and the record may have been kept all the same.
      await free(transients, id, request).catch(() => {})
      throw error
    })
    if (!isNew) throw await taken(transients, id, now())
    /** The answer is the one of the work, even if this is lost. */
    const become = async (state: KeyRecord['state']) => {
      const seen = await ownRecord(transients, id, request)
      if (seen !== undefined) await transients.replace(id, seen, { ...begun, state }, expiresAt)
    }
    try {
      const result = await work()
      await become('done').catch(() => {})
      return result
    } catch (error) {
      if (error instanceof OAuthError && error.status < 500)
        await free(transients, id, request).catch(() => {})
      else await become('unknown').catch(() => {})
      throw error
    }
  }
}

/** The methods that are used here. */
function unavailableAs503(transients: Transients) {
  return storeErrorsAs503<Pick<Transients, 'find' | 'insert' | 'replace' | 'remove'>>({
    find: (id) => transients.find(id),
    insert: (id, value, expiresAt) => transients.insert(id, value, expiresAt),
    replace: (id, seen, value, expiresAt) => transients.replace(id, seen, value, expiresAt),
    remove: (id) => transients.remove(id),
  })
}
type Keys = ReturnType<typeof unavailableAs503>

/** Of this request only: another one may have the key, and be at work. */
async function ownRecord(transients: Keys, id: string, request: string) {
  const seen = await transients.find(id)
  return (seen?.value as KeyRecord | undefined)?.request === request ? seen : undefined
}

async function free(transients: Keys, id: string, request: string): Promise<void> {
  if ((await ownRecord(transients, id, request)) !== undefined) await transients.remove(id)
}

async function taken(transients: Keys, id: string, now: number): Promise<OAuthError> {
  const { state = 'done', begunAt } = ((await transients.find(id))?.value ?? {
    state: 'begun',
    begunAt: now,
  }) as Pick<KeyRecord, 'state' | 'begunAt'>
  if (state === 'done') return new OAuthError(KEY_ERRORS.idempotency_key_used)
  if (state === 'begun' && now < begunAt + MAX_SECONDS)
    return new OAuthError(KEY_ERRORS.idempotency_key_in_use, undefined, { retryAfter: 1 })
  return new OAuthError(KEY_ERRORS.idempotency_outcome_unknown)
}
