import { expect, it } from 'vitest'
import { newCounts } from './counts.ts'

it('adds up by name, label and bucket, and starts again after each time it was taken', () => {
  const counts = newCounts()
  counts.add('event', 'code_redeemed')
  counts.add('event', 'code_redeemed')
  counts.add('response', 'GET /login', 7)
  expect(counts.take()).toEqual([
    { name: 'event', label: 'code_redeemed', bucket: 0, count: 2 },
    { name: 'response', label: 'GET /login', bucket: 7, count: 1 },
  ])
  expect(counts.take()).toEqual([])
})

it('counts more labels than it has space for as others', () => {
  const counts = newCounts()
  for (let n = 0; n < 600; n++) counts.add('reason', `reason_${n}`)
  const taken = counts.take()
  expect(taken.length).toBe(501)
  expect(taken.at(-1)).toMatchObject({ label: 'other', count: 100 })
})
