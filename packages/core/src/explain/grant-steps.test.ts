import { expect, it } from 'vitest'
import { firstTimes } from './grant-steps.ts'

it('a name is new once, and again after many others', () => {
  const isFirst = firstTimes(4)
  expect(['a', 'a', 'b', 'c', 'a', 'd', 'e', 'a'].map((name) => isFirst(name))).toEqual([
    ...[true, false, true, true, false, true, true, true],
  ])
})
