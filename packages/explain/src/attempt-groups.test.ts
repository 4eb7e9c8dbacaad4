import { expect, it } from 'vitest'
import { attemptGroups, recordedSteps } from './flight-recorder.ts'

const attempt = (reference: string) =>
  recordedSteps({ type: 'step', reference, at: 0, step: 'requested', outcome: 'ok' })

it('of groups with equally many attempts, the one that has had attempts for longest counts as the fullest', () => {
  const groups = attemptGroups()
  expect(groups.oldestOfFullest()).toBeUndefined()
  const [gone, oldest, later] = [attempt('gone'), attempt('oldest'), attempt('later')]
  groups.add('one', gone, 50)
  groups.add('other', oldest, 50)
  groups.remove('one', gone)
  groups.add('one', later, 50)
  expect(groups.oldestOfFullest()).toBe(oldest)
})
