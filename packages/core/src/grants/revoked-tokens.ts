import { CLOCK_TOLERANCE, type Kernel } from '../kernel/kernel.ts'
import type { Grant } from '../kernel/records.ts'

/**
 * Writes what a change of a grant ends into the revocation log, before the change is stored: if only the log is written, a
 * token dies that was to die. The record says whether there are signed tokens, so every process does it, however it is
 * configured.
 *
 * @param after absent when the grant ends
 */
export async function logRevoked({ store, now }: Kernel, before: Grant, after?: Grant): Promise<void> {
  // A guard may honour a token for longer. A rotation drops expired tokens as well: it must not log each of them.
  const honoured = now() - (after === undefined ? CLOCK_TOLERANCE : 0)
  const kept = new Set(after?.accessTokens.map(({ hash }) => hash))
  const ended = before.accessTokens.filter(
    ({ hash, signed, expiresAt }) => signed === true && expiresAt > honoured && !kept.has(hash),
  )
  const { id } = before
  const entries = after === undefined && ended.length > 0 ? [id] : ended.map(({ hash }) => `${id}.${hash}`)
  await Promise.all(entries.map((entry) => store.revocations?.append(entry)))
}

/** Most grants have none. */
export function hasSignedTokens({ accessTokens }: Grant): boolean {
  return accessTokens.some(({ signed }) => signed === true)
}
