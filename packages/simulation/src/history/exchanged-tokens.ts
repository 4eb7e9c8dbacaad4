import type { Operation } from '@grantkit/torture'

/**
 * An exchanged token ends with the token that it was exchanged for (RFC 8693 leaves that open; Grantkit promises it). The judge of any
 * server takes such an end for a loss, so answers about a token whose parent was revoked are left out.
 */
export function withoutRevokedParents(history: readonly Operation[]): readonly Operation[] {
  const parents = new Map<string, string>()
  const revokedFrom = new Map<string, number>()
  for (const { f, access, key = '', result, invoked } of history) {
    if (f === 'exchange' && access !== undefined) parents.set(access, key)
    if (f === 'revoke' && result !== 'fail' && !revokedFrom.has(key)) revokedFrom.set(key, invoked)
  }
  const endedWithParent = ({ f, key = '', active, returned }: Operation) => {
    if ((f !== 'use' && f !== 'introspect') || active !== false) return false
    for (let parent = parents.get(key); parent !== undefined; parent = parents.get(parent))
      if ((revokedFrom.get(parent) ?? Number.POSITIVE_INFINITY) < returned) return true
    return false
  }
  return history.filter((operation) => !endedWithParent(operation))
}
