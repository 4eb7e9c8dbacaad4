import { expect, it } from 'vitest'
import { hostSlots } from './delivery.ts'

it('a host gives as many slots as are free, in order, and takes all of them back', async () => {
  const slots = hostSlots(4)
  const counts: string[] = []
  const ends: (() => void)[] = []
  const begin = (name: string, wanted: number) =>
    slots('app.dev', wanted, (count) => {
      counts.push(`${name} ${count}`)
      return new Promise<void>((end) => ends.push(end))
    })
  const first = begin('a', 3)
  for (const [name, wanted] of [
    ['b', 3],
    ['c', 2],
    ['d', 2],
  ] as const)
    void begin(name, wanted)
  await expect.poll(() => counts).toEqual(['a 3', 'b 1'])
  ends.shift()?.()
  await first
  await expect.poll(() => counts).toEqual(['a 3', 'b 1', 'c 2', 'd 1'])
  while (ends.length > 0) ends.shift()?.()
  await new Promise(setImmediate)
  ends.shift()?.()
  await new Promise(setImmediate)
  void begin('e', 9)
  await expect.poll(() => counts.at(-1)).toBe('e 4')
})
