import { expect, it } from 'vitest'
import { SubjectIndex } from './subject-index.ts'

it('finds each grant of a subject, whether one or many, in the order they come and go', () => {
  const index = new SubjectIndex()
  expect(index.grantIds('alice')).toEqual([])
  index.add('1', 'alice')
  expect(index.grantIds('alice')).toEqual(['1'])
  index.add('2', 'alice')
  index.add('3', 'bob')
  expect(index.grantIds('alice')).toEqual(['1', '2'])
  index.delete('1', 'alice')
  expect(index.grantIds('alice')).toEqual(['2'])
  index.delete('2', 'alice')
  expect(index.grantIds('alice')).toEqual([])
  expect(index.grantIds('bob')).toEqual(['3'])
})

it('forgets nothing when what it never held is deleted', () => {
  const index = new SubjectIndex()
  index.add('1', 'alice')
  index.delete('2', 'alice')
  index.delete('1', 'bob')
  expect(index.grantIds('alice')).toEqual(['1'])
})
