/** The steps of grants, which have their reference in their record. They are on the path of every token request: nothing is looked up. */
import type { Emit } from '../kernel/events.ts'
import type { Grant } from '../kernel/records.ts'
import type { SignInAttempts } from '../kernel/sign-in-attempts.ts'
import type { StepEvent, StepFacts, StepName } from '../kernel/sign-in-steps.ts'
import { coarseNetworkOf } from '../limits/caller-network.ts'

export interface GrantStepsContext {
  readonly emit: Emit
  /** Epoch seconds. */
  readonly now: () => number
}

/** A grant that is older than the option has no reference, and no steps. */
export function grantSteps({
  emit,
  now,
}: GrantStepsContext): Pick<SignInAttempts, 'used' | 'called' | 'ended'> {
  const isFirst = firstTimes()

  function report(grant: Grant, step: StepName, { scopes, resource, network, by, reason }: StepFacts): void {
    const { reference, clientId, id: grantId, subject } = grant
    if (reference === undefined) return
    // One literal: copies of objects are most of what a step costs.
    emit({
      type: 'step',
      reference,
      at: now(),
      step,
      outcome: 'ok',
      clientId,
      grantId,
      subject,
      scopes,
      resource,
      network,
      by,
      reason,
    } satisfies StepEvent)
  }

  return {
    used(grant, step, { remoteAddress }, { scopes, resource }) {
      const network = remoteAddress === undefined ? undefined : coarseNetworkOf(remoteAddress)
      report(grant, step, { scopes, resource, network })
    },
    called(grant, resource, { remoteAddress }) {
      if (!isFirst(`${grant.id} ${resource}`)) return
      const network = remoteAddress === undefined ? undefined : coarseNetworkOf(remoteAddress)
      report(grant, 'first_call', { resource, network })
    },
    ended: (grant, { by, reason }) => report(grant, 'ended', { by, reason }),
  }
}

/** Some megabyte. A name that was forgotten counts as new once more. */
const MAX_NAMES = 10_000

/** @returns a predicate: whether a name is new. When there are too many, the older half is forgotten */
export function firstTimes(max = MAX_NAMES): (name: string) => boolean {
  let young = new Set<string>()
  let old = young
  return (name) => {
    if (young.has(name) || old.has(name)) return false
    if (young.size >= max / 2) [old, young] = [young, new Set()]
    young.add(name)
    return true
  }
}
