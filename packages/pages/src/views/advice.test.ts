import { ERRORS } from '@grantkit/core/errors'
import { expect, it } from 'vitest'
import { ADVICE } from './advice.ts'

it.each(Object.keys(ADVICE))('the error %s, of which a page advises users, exists', (reason) => {
  expect(ERRORS).toHaveProperty(reason)
})
