import { expect, it } from 'vitest'
import { SubjectIndex } from './subject-index.ts'

const ALICE = { subject: 'alice' }
const BOB = { subject: 'bob' }

it('finds each grant of a subject, whether one or many, in the order they come and go', () => {
  const index = new SubjectIndex()
  expect(index.grantIds('alice')).toEqual([])
  index.follow('1', undefined, ALICE)
  expect(index.grantIds('alice')).toEqual(['1'])
  index.follow('2', undefined, ALICE)
  index.follow('3', undefined, BOB)
  expect(index.grantIds('alice')).toEqual(['1', '2'])
  index.follow('1', ALICE)
  expect(index.grantIds('alice')).toEqual(['2'])
  index.follow('2', ALICE)
  expect(index.grantIds('alice')).toEqual([])
  expect(index.grantIds('bob')).toEqual(['3'])
})

it('follows a grant that changes its subject, and leaves one alone that does not', () => {
  const index = new SubjectIndex()
  index.follow('1', undefined, ALICE)
  index.follow('1', ALICE, { ...ALICE })
  expect(index.grantIds('alice')).toEqual(['1'])
  index.follow('1', ALICE, BOB)
  expect(index.grantIds('alice')).toEqual([])
  expect(index.grantIds('bob')).toEqual(['1'])
})

it('passes over what has no subject', () => {
  const index = new SubjectIndex()
  index.follow('1', undefined, {})
  index.follow('1', {}, ALICE)
  expect(index.grantIds('alice')).toEqual(['1'])
  index.follow('1', ALICE, {})
  expect(index.grantIds('alice')).toEqual([])
})
