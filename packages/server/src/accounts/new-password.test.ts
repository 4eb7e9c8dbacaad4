import { expect, it } from 'vitest'
import { newPasswordProblem } from './new-password.ts'

it.each([
  ['1234567', 'at least 8'],
  ['12345678', undefined],
  ['🦊'.repeat(7), 'at least 8'],
  // One character each, as they are hashed.
  ['e\u0301'.repeat(7), 'at least 8'],
  ['x'.repeat(1000), undefined],
  ['x'.repeat(1001), 'at most 1000'],
  ['12345678\0', 'control characters'],
  // One character that is hashed as 18.
  ['\ufdfa', undefined],
])('a new password %j is refused for: %s', (password, problem) => {
  if (problem === undefined) expect(newPasswordProblem(password)).toBeUndefined()
  else expect(newPasswordProblem(password)).toContain(problem)
})
