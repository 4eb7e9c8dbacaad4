/** Which endpoints fail, and which get nothing any more: one transient for each, shared by all processes. */
import type { Transient } from '../kernel/records.ts'
import type { Transients } from '../kernel/store.ts'
import type { Outcome } from '../outbox/outcome.ts'

interface EndpointState extends Transient {
  readonly kind: 'webhook-endpoint'
  /** The first failure after the last success, in epoch seconds. */
  readonly failingSince: number
  readonly disabled?: true | undefined
}

/** Seconds of nothing but failures. */
const MAX_FAILING = 5 * 24 * 60 * 60
/** A state lives until it is removed. */
const KEPT = 10 * 365 * 24 * 60 * 60

export type DisabledBecause = 'gone' | 'failing'

export function endpointStates(transients: Transients, now: () => number) {
  const idOf = (name: string) => `webhook-endpoint.${name}`
  const find = (name: string) => transients.find(idOf(name))
  const isDisabled = (state: Transient | undefined) => (state as EndpointState | undefined)?.disabled === true

  return {
    isDisabled: async (name: string) => isDisabled((await find(name))?.value),
    enable: (name: string) => transients.remove(idOf(name)),

    /** @returns why the endpoint is disabled from now on */
    async tried(name: string, outcome: Outcome): Promise<DisabledBecause | undefined> {
      const seen = await find(name)
      if (outcome.kind === 'delivered') {
        if (seen !== undefined && !isDisabled(seen.value)) await transients.remove(idOf(name))
        return undefined
      }
      const { failingSince = now() } = (seen?.value as EndpointState | undefined) ?? {}
      const isGone = outcome.status === 410
      const disabled = isGone || now() - failingSince >= MAX_FAILING
      if (isDisabled(seen?.value) || (seen !== undefined && !disabled)) return undefined
      const expiresAt = now() + KEPT
      const value: EndpointState = {
        kind: 'webhook-endpoint',
        expiresAt,
        failingSince,
        ...(disabled && { disabled }),
      }
      // Of several processes one writes it, and reports it.
      const isWritten =
        seen === undefined
          ? await transients.insert(idOf(name), value, expiresAt)
          : await transients.replace(idOf(name), seen, value, expiresAt)
      if (!isWritten || !disabled) return undefined
      return isGone ? 'gone' : 'failing'
    },
  }
}
