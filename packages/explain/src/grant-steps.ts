/** The steps of grants, which have their reference in their record. They are on the path of every token request: nothing is looked up. */
import type { Grant } from '@grantkit/core/feature'
import {
  coarseNetworkOf,
  type GrantEnd,
  type ObservedRequest,
  type ObserverContext,
} from '@grantkit/core/internal'
import type { StepEvent, StepFacts, StepName } from './sign-in-steps.ts'

/** A grant that is older than the option has no reference, and no steps. */
export function grantSteps({ emit, now }: Omit<ObserverContext, 'random'>) {
  const isFirst = firstTimes()

  function report(grant: Grant, step: StepName, facts: StepFacts): void {
    const { reference, clientId, id: grantId, subject } = grant
    if (reference === undefined) return
    const known = { clientId, grantId, subject, ...facts }
    emit({ type: 'step', reference, at: now(), step, outcome: 'ok', ...known } satisfies StepEvent)
  }

  return {
    /** A step that succeeded, of a grant that has a reference. */
    used(grant: Grant, step: StepName, { remoteAddress }: ObservedRequest, issued: Issued): void {
      const { scopes, resources } = issued
      const { reference, clientId, id: grantId, subject } = grant
      if (reference === undefined) return
      // One literal: copies of objects would be most of what the step costs.
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
        resource: resources.length === 0 ? undefined : resources.join(' '),
        network: networkOf(remoteAddress),
      } satisfies StepEvent)
    },
    /** A guard has accepted a token of the grant. The first time at this guard is a step. */
    called(grant: Grant, resource: string, { remoteAddress }: ObservedRequest): void {
      if (isFirst(grant.id, resource))
        report(grant, 'first_call', { resource, network: networkOf(remoteAddress) })
    },
    ended: (grant: Grant, { by, reason }: GrantEnd): void => report(grant, 'ended', { by, reason }),
  }
}

/** The members of issued tokens that are read here. */
type Issued = Pick<Grant, 'scopes' | 'resources'>

function networkOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : coarseNetworkOf(address)
}

/** Some megabyte. The calls of a grant that was forgotten count as new once more. */
const MAX_GRANTS = 10_000

/** @returns a predicate: whether a grant is new at a resource. When there are too many, the older half is forgotten */
export function firstTimes(max = MAX_GRANTS): (grantId: string, resource: string) => boolean {
  let young = new Map<string, readonly string[]>()
  let old = young
  return (grantId, resource) => {
    const known = young.get(grantId) ?? old.get(grantId) ?? NONE
    if (known.includes(resource)) return false
    if (young.size >= max / 2) [old, young] = [young, new Map()]
    young.set(grantId, [...known, resource])
    return true
  }
}

const NONE: readonly string[] = []
