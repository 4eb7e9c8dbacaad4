import { expect, it } from 'vitest'
import { knownFields, variablesOf } from './variables.ts'

it('lists a secret as a variable, and as one that names a file', () => {
  expect(variablesOf(knownFields())).toEqual(expect.arrayContaining(['SECRET', 'SECRET_FILE', 'PORT']))
  expect(variablesOf(knownFields())).not.toContain('PORT_FILE')
})
