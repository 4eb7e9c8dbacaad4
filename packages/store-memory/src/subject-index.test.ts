import { expect, it } from 'vitest'
import { SubjectIndex } from './subject-index.ts'

const START = { order: Number.MAX_SAFE_INTEGER, key: '' }
const of = (subject: string | undefined, createdAt = 0, clientId = 'app') => ({
  subject,
  createdAt,
  clientId,
})
const idsOf = (index: SubjectIndex, subject: string, clientId?: string) =>
  index.page({ subject, clientId }, START, 9).map(({ key }) => key)

it('lists the grants of a subject, the newest first, as they come and go', () => {
  const index = new SubjectIndex()
  expect(idsOf(index, 'alice')).toEqual([])
  index.follow('1', undefined, of('alice', 10))
  index.follow('2', undefined, of('alice', 30))
  index.follow('3', undefined, of('bob', 20))
  index.follow('4', undefined, of('alice', 20))
  expect(idsOf(index, 'alice')).toEqual(['2', '4', '1'])
  index.follow('4', of('alice', 20))
  expect(idsOf(index, 'alice')).toEqual(['2', '1'])
  index.follow('1', of('alice', 10))
  index.follow('2', of('alice', 30))
  expect([idsOf(index, 'alice'), idsOf(index, 'bob')]).toEqual([[], ['3']])
})

it('leads on from a place, whether or not its grant is still there', () => {
  const index = new SubjectIndex()
  for (const id of ['1', '2', '3', '4']) index.follow(id, undefined, of('alice', 10))
  const [, second = START] = index.page({ subject: 'alice' }, START, 2)
  expect(index.page({ subject: 'alice' }, second, 9).map(({ key }) => key)).toEqual(['2', '1'])
  index.follow('3', of('alice', 10))
  expect(index.page({ subject: 'alice' }, second, 1).map(({ key }) => key)).toEqual(['2'])
})

it('lists the grants of one client', () => {
  const index = new SubjectIndex()
  index.follow('1', undefined, of('alice', 1, 'app'))
  index.follow('2', undefined, of('alice', 2, 'other'))
  index.follow('3', undefined, of('alice', 3, 'app'))
  expect(idsOf(index, 'alice', 'app')).toEqual(['3', '1'])
})

it('follows a grant that changes its subject, gets one or loses it, and leaves one alone that does not', () => {
  const index = new SubjectIndex()
  index.follow('1', undefined, of(undefined))
  index.follow('1', of(undefined), of('alice'))
  index.follow('1', of('alice'), of('alice'))
  expect(idsOf(index, 'alice')).toEqual(['1'])
  index.follow('1', of('alice'), of('bob'))
  expect([idsOf(index, 'alice'), idsOf(index, 'bob')]).toEqual([[], ['1']])
  index.follow('1', of('bob'), of(undefined))
  expect(idsOf(index, 'bob')).toEqual([])
})
