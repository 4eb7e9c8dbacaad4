import { describe, expect, it } from 'vitest'
import { findingOf, isRequestedAgain } from './findings.ts'
import type { StepEvent, StepFacts, StepName } from './sign-in-steps.ts'

const START = 1_800_000_000
const HERE = '192.0.2.0/24'

type Facts = StepFacts & Partial<Pick<StepEvent, 'reference'>>

/** A step, so many seconds after the start. */
function step(after: number, name: StepName, facts: Facts = {}): StepEvent {
  const known = { reference: '7K3MQ2WD', clientId: 'an app', network: HERE }
  const outcome = facts.reason === undefined ? 'ok' : 'refused'
  return { type: 'step', ...known, at: START + after, step: name, outcome, ...facts }
}

/** Long after everything is overdue, with guards that report every call. */
const findingAfter = (steps: readonly StepEvent[], others: readonly StepEvent[] = []) =>
  findingOf(steps, START + 9000, others, () => true)

describe('an attempt', () => {
  it.each<[string, StepEvent[]]>([
    ['without a step', []],
    [
      'whose request is answered, and no page of it was shown',
      [step(0, 'requested'), step(0, 'client_found')],
    ],
    [
      'that is requested again after three sign-in pages',
      [...[1, 2, 3].map((after) => step(after, 'sign_in_shown')), step(9, 'requested')],
    ],
  ])('%s is in progress', (_, steps) => {
    expect(findingAfter(steps)).toBe('in_progress')
  })

  it('is never requested if the others have registrations alone, such as its own', () => {
    const registered = step(0, 'registered')
    expect(findingAfter([registered], [registered])).toBe('never_requested')
  })

  it.each<[StepName, string]>([
    ['code_redeemed', 'token_not_used'],
    ['refreshed', 'succeeded'],
    ['first_call', 'succeeded'],
  ])('whose step %s was refused does not count as %s', (name, finding) => {
    const refused = [step(30, 'sent_back'), step(31, name, { reason: 'client_unknown' })]
    expect(findingAfter(refused)).not.toBe(finding)
    expect(findingAfter([...refused, step(32, name)])).toBe(finding)
  })
})

describe('an app requests access again after a denial', () => {
  const denied = step(30, 'denied', { reason: 'consent_denied' })

  it.each<[string, StepEvent, Facts, number]>([
    ['in the same second', denied, {}, 30],
    ['in the last second of a minute', denied, {}, 89],
    ['from an unknown network', denied, { network: undefined }, 31],
    ['of an unknown network', { ...denied, network: undefined }, {}, 31],
  ])('%s', (_, after, facts, at) => {
    expect(isRequestedAgain(after, [step(at, 'requested', { reference: 'B', ...facts })])).toBe(true)
  })
})
