import { stripVTControlCharacters } from 'node:util'
import { type StepEvent, verdictOf } from '@grantkit/explain'
import { expect, it } from 'vitest'
import { attemptLine, attemptLines } from './why.ts'

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

it('a line of a list marks a probe of the doctor', () => {
  const probe = { ...attempt, steps: [step('client_found', 0, { probe: true })] }
  expect(attemptLine(probe)).toMatch(/ {2}probe of the doctor$/)
})

it('a line of a step has only the facts that differ from the lines before', () => {
  const scopes = ['notes:read']
  const repeated = [step('requested', 0, { scopes }), step('client_found', 1, { scopes }), step('allowed', 2)]
  const [first, second, third] = attemptLines({ ...attempt, steps: repeated }, undefined).slice(-3)
  expect(stripVTControlCharacters(first ?? '')).toMatch(/requested +clientId app {2}scopes notes:read$/)
  expect(stripVTControlCharacters(second ?? '')).toMatch(/client_found$/)
  expect(stripVTControlCharacters(third ?? '')).toMatch(/allowed$/)
  const errors = ['code_unknown', 'code_unknown'].map((reason) =>
    step('code_redeemed', 3, { outcome: 'refused', reason }),
  )
  const lines = attemptLines({ ...attempt, steps: errors }, undefined).slice(-2)
  expect(lines.map((line) => line.includes('reason code_unknown'))).toEqual([true, true])
})

it('a verdict has no marks of code, which only a page can show', () => {
  const refused = [step('requested', 0, { outcome: 'refused', reason: 'redirect_uri_not_registered' })]
  const verdict = verdictOf(refused, AT + 100)
  expect(verdict.toDeveloper).toContain('`')
  expect(attemptLines({ ...attempt, steps: refused, verdict }, undefined).join('\n')).not.toContain('`')
})

it('compared facts have no quotes around them', () => {
  const network = '192.0.2.0/24'
  const uses = [
    step('refreshed', 0, { network }),
    step('refreshed', 9, { network, outcome: 'refused', reason: 'refresh_token_reused' }),
  ]
  const lines = attemptLines({ ...attempt, steps: uses, verdict: verdictOf(uses, AT + 100) }, undefined)
  expect(lines).toContain('first use                 2026-01-31T08:00:00.000Z from 192.0.2.0/24')
})

it('the words for the developer end with what the app sent, and nothing else that is compared', () => {
  const reason = 'redirect_uri_not_registered'
  const facts = { redirectUri: 'https://app.example/new', expected: 'https://app.example/old' }
  const refused = [step('client_found', 0, { outcome: 'refused', reason, ...facts })]
  const lines = attemptLines({ ...attempt, steps: refused, verdict: verdictOf(refused, AT + 100) }, undefined)
  const words = lines.find((line) => line.startsWith('For the developer'))
  expect(words).toMatch(/redirect_uri sent: https:\/\/app\.example\/new$/)
  expect(words).not.toContain('https://app.example/old')
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
