import { expect, it } from 'vitest'
import { firstTimes } from './grant-steps.ts'

it('a grant is new once at each resource, and again after many others', () => {
  const isFirst = firstTimes(4)
  const calls = ['a x', 'a x', 'a y', 'a x', 'b x', 'c x', 'a y', 'd x', 'e x', 'a x']
  const news = calls.filter((call) => isFirst(...(call.split(' ') as [string, string])))
  expect(news).toEqual(['a x', 'a y', 'b x', 'c x', 'd x', 'e x', 'a x'])
})
