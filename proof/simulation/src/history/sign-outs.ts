import type { Operation } from '@grantkit/torture'
import type { NewOperation } from './new-operation.ts'

/** A user has ended all grants. */
export interface SignOut {
  readonly subject: string
  /** Milliseconds. */
  readonly invoked: number
  readonly returned: number
  /** The user saw that it was done. */
  readonly isDone: boolean
}

/**
 * What a sign-out means for a family of this user. It surely ends a grant that was approved before; one that is approved
 * meanwhile, it may end. Without an answer it may be carried out at any later time.
 *
 * @param approval of the family
 */
export function effectOf(
  { invoked, returned, isDone }: SignOut,
  approval: Operation,
): NewOperation | undefined {
  if (isDone && approval.invoked > returned) return undefined
  const isSure = isDone && approval.result === 'ok' && approval.returned <= invoked
  const { family } = approval
  const when = {
    invoked: Math.max(invoked, approval.invoked),
    returned: Math.max(returned, approval.returned),
  }
  if (isSure) return { process: 'user', f: 'deny', family, result: 'ok', ...when }
  return { process: 'user', f: 'deny', family, result: 'info', forgotten: true, ...when }
}
