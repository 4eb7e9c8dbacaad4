/** Which endpoints fail, and which get nothing any more: one transient for each, shared by all processes. */
import type { Transient } from '../kernel/records.ts'
import type { Transients } from '../kernel/store.ts'
import type { Tried } from '../outbox/outbox.ts'

interface EndpointState extends Transient {
  readonly kind: 'webhook-endpoint'
  /** The first failure after the last success, in epoch seconds. */
  readonly failingSince: number
  /** How many messages have failed since then, up to the maximum. */
  readonly failures?: number | undefined
  readonly disabled?: true | undefined
}

/** Seconds of nothing but failures, and the messages that failed in them: a quiet endpoint is not judged by two. */
const MAX_FAILING = 5 * 24 * 60 * 60
const MAX_FAILURES = 10
/** A state lives until it is removed. */
const KEPT = 10 * 365 * 24 * 60 * 60

export type DisabledBecause = 'gone' | 'failing'

export function endpointStates(transients: Transients, now: () => number) {
  const idOf = (name: string) => `webhook-endpoint.${name}`
  const find = (name: string) => transients.find(idOf(name))
  const stateIn = (seen: Awaited<ReturnType<typeof find>>) => seen?.value as EndpointState | undefined

  return {
    async stateOf(name: string): Promise<Pick<EndpointState, 'failingSince' | 'disabled'> | undefined> {
      return stateIn(await find(name))
    },
    /** @returns whether it was disabled */
    async enable(name: string): Promise<boolean> {
      const isDisabled = stateIn(await find(name))?.disabled === true
      await transients.remove(idOf(name))
      return isDisabled
    },

    /** @param outcomes of messages that were tried together @returns why the endpoint is disabled from now on */
    async tried(name: string, outcomes: readonly Tried[]): Promise<DisabledBecause | undefined> {
      const seen = await find(name)
      const state = stateIn(seen)
      if (state?.disabled) return undefined
      const isGone = outcomes.some((outcome) => outcome.kind === 'refused' && outcome.status === 410)
      if (!isGone && outcomes.some(({ kind }) => kind === 'delivered')) {
        if (seen !== undefined) await transients.remove(idOf(name))
        return undefined
      }
      const { failingSince = now(), failures: before = 0 } = state ?? {}
      const failures = Math.min(before + outcomes.filter(({ isFirst }) => isFirst).length, MAX_FAILURES)
      const disabled = isGone || (failures === MAX_FAILURES && now() - failingSince >= MAX_FAILING)
      if (seen !== undefined && !disabled && failures === before) return undefined
      const expiresAt = now() + KEPT
      const value: EndpointState = {
        ...{ kind: 'webhook-endpoint', expiresAt, failingSince, failures },
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
