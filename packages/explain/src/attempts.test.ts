import type { BaseEvent } from '@grantkit/core/internal'
import { expect, it } from 'vitest'
import { attemptsOf } from './attempts.ts'
import { DOCTOR_AGENT } from './sign-in-steps.ts'

const ERROR = { reason: 'unexpected', status: 400 }
const REQUEST = { path: '/patients/alice' }

/** The attempts of a guard, which has no secret. */
function ofGuard() {
  const events: BaseEvent[] = []
  const emit = (event: BaseEvent) => void events.push(event)
  const random = (size: number) => new Uint8Array(size).fill(255)
  return { events, attempts: attemptsOf({ emit, now: () => 1_800_000_000, random }) }
}

it('without a secret, a request has a random reference, in one group', () => {
  const { attempts } = ofGuard()
  expect(attempts.refused({ ...REQUEST }, ERROR).reference).toBe('ZZZZ-ZZZZ')
})

it('a refused call does not have the path of the API, which may name a person', () => {
  const { attempts, events } = ofGuard()
  const request = { ...REQUEST }
  attempts.know(request, { expects: 'first_call' })
  attempts.refused(request, ERROR)
  expect(JSON.stringify(events)).not.toContain('patients')
})

it.each([
  [DOCTOR_AGENT, true],
  ['a browser', undefined],
])('a request of %s has the fact probe: %s', (agent, probe) => {
  const { attempts, events } = ofGuard()
  attempts.refused({ ...REQUEST, headers: { 'user-agent': agent } }, ERROR)
  expect(events.map((event) => event.probe)).toEqual([probe])
})

it.each([
  [499, 'refused'],
  [500, 'failed'],
  [503, 'failed'],
])('an error with the status %i has %s', (status, outcome) => {
  const { attempts, events } = ofGuard()
  attempts.refused({ ...REQUEST }, { ...ERROR, status })
  expect(events).toMatchObject([{ outcome, status }])
})
