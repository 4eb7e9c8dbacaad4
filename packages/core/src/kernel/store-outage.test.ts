import { describe, expect, it } from 'vitest'
import { storeOutages } from './store-outage.ts'

function seenAt(...failures: number[]) {
  let now = 0
  const outages = storeOutages(() => now)
  for (now of failures) outages.seen()
  return outages.last()
}

describe('the last outage of the store', () => {
  it.each([
    ['none without a failure', [], undefined],
    ['one failure', [100], { start: 100, end: 100 }],
    ['failures with a minute between them', [100, 160, 220], { start: 100, end: 220 }],
    ['the later of two outages', [100, 161, 170], { start: 161, end: 170 }],
  ])('is %s', (_, failures, outage) => {
    expect(seenAt(...failures)).toEqual(outage)
  })

  it('is at most an hour long, however often the store fails', () => {
    const failures = Array.from({ length: 100 }, (_, minute) => minute * 60)
    expect(seenAt(...failures)).toEqual({ start: 99 * 60 - 3600, end: 99 * 60 })
  })
})
