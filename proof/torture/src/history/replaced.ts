import { skewOf } from './declared.ts'
import { arrivingLate, type Case, successorUsed } from './effect.ts'
import type { Operation } from './operation.ts'

/**
 * Whether the refusal of a spent refresh token may end nothing, as `replacedSeconds` declares. The token of the last rotation
 * is not meant: no newer one can have overtaken it.
 */
export function mayBeReplaced(subject: Case, refusal: Operation, spender: Operation): boolean {
  const { declared } = subject
  const { replacedSeconds } = declared
  if (replacedSeconds === undefined || !successorUsed(subject, spender, refusal.returned)) return false
  const until = spender.returned + replacedSeconds * 1_000 + skewOf(declared)
  return refusal.invoked <= until || wasOvertaken(subject, refusal)
}

/** Whether a rotation of the grant can be later than the arrival of the request, by the clocks of their replicas. */
function wasOvertaken({ family, declared }: Case, refusal: Operation): boolean {
  const arrived = refusal.invoked - skewOf(declared)
  const overtakes = (operation: Operation) =>
    operation.f === 'refresh' &&
    operation.result !== 'fail' &&
    operation.id !== refusal.id &&
    operation.invoked < refusal.returned &&
    arrivingLate(operation).returned > arrived
  return family.operations.some(overtakes)
}
