import { describe, expect, it } from 'vitest'
import { addStep, type RecordedSteps, recordedSteps } from './flight-recorder.ts'
import type { StepEvent } from './sign-in-steps.ts'

function stepOf(more: Partial<StepEvent> = {}): StepEvent {
  return { type: 'step', reference: '7K3MQ2WD', at: 0, step: 'requested', outcome: 'ok', ...more }
}

function recorded(steps: readonly StepEvent[]): RecordedSteps {
  const attempt = recordedSteps(stepOf())
  for (const step of steps) addStep(attempt, step)
  return attempt
}

describe('the memory of a step', () => {
  const long = { redirectUri: 'x'.repeat(100) }

  it.each<[string, StepEvent[], Partial<StepEvent>, number]>([
    ['a text that the steps before did not have', [stepOf()], long, 100],
    ['a text that it shares with the step before', [stepOf(), stepOf(), stepOf(long)], long, 0],
    ['a text that only an older step had', [stepOf(), stepOf(long), stepOf()], long, 100],
    ['a number', [stepOf()], { status: 400 }, 0],
    ['scopes, with what points to them', [stepOf()], { scopes: ['courses:read', 'openid'] }, 12 + 6 + 2 * 32],
  ])('counts %s', (_, before, facts, bytes) => {
    const plain = recorded([...before, stepOf()])
    expect(recorded([...before, stepOf(facts)]).bytes - plain.bytes).toBe(bytes)
  })

  it('is free again when the step is dropped', () => {
    const steps = Array.from({ length: 40 }, (_, n) => stepOf({ redirectUri: 'x'.repeat(10 * n) }))
    const [all, kept] = [recorded(steps), recorded([...steps.slice(0, 12), ...steps.slice(28)])]
    expect(all.steps).toEqual(kept.steps)
    expect([all.omitted, kept.omitted]).toEqual([16, 0])
    expect(all.bytes).toBe(kept.bytes)
  })
})
