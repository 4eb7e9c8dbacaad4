import { stripVTControlCharacters } from 'node:util'
import { type StepEvent, verdictOf } from '@grantkit/core/explain'
import { expect, it } from 'vitest'
import { attemptLine, attemptLines } from './attempt-lines.ts'

const AT = Date.parse('2026-01-31T08:00:00Z') / 1000
const REFERENCE = '7K3MQ2WD'
const step = (name: StepEvent['step'], after: number, facts: Partial<StepEvent> = {}): StepEvent => ({
  ...{ type: 'step', reference: REFERENCE, at: AT + after, step: name, outcome: 'ok', clientId: 'app' },
  ...facts,
})
const steps = [
  step('sent_back', 0),
  step('code_redeemed', 90, { outcome: 'refused', reason: 'code_expired', network: '192.0.2.0/24' }),
]
const attempt = {
  keptIn: 'database' as const,
  ...{ reference: REFERENCE, steps, clientId: 'app', subject: 'ada' },
  verdict: verdictOf(steps, AT + 100),
}

it('a line of a list has the reference, the time, the verdict, the client and the user', () => {
  expect(stripVTControlCharacters(attemptLine(attempt))).toBe(
    '7K3M-Q2WD  2026-01-31T08:01:30.000Z  code_expired  client app  user ada',
  )
})

it('an attempt is its verdict, who is at fault, the fix, the words for the developer, and the steps', () => {
  const lines = attemptLines(attempt, { clientName: 'Evil\u001b[2J' } as never)
  const text = stripVTControlCharacters(lines.join('\n'))
  expect(text).toMatch(/^7K3M-Q2WD {2}The app redeemed the code too late\.\n\nAt fault +the app\nWhat to do /)
  expect(text).toMatch(/\nFor the developer +Redeem the code as soon as/)
  expect(text, 'a name cannot move the cursor').toContain('Client                    app  "Evil\\u001b[2J"')
  expect(text).toMatch(
    /\n2026-01-31T08:01:30\.000Z {4}\+90 s {2}code_redeemed refused .*network 192\.0\.2\.0\/24$/,
  )
})
