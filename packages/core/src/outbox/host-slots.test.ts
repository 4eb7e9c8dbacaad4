import { expect, it } from 'vitest'
import { hostSlots } from './host-slots.ts'

it('a host whose work ends keeps the slots of the rest', async () => {
  const slots = hostSlots(2)
  const ends: (() => void)[] = []
  const begin = () => slots('app.dev', () => new Promise<void>((end) => ends.push(end)))
  const first = begin()
  begin()
  ends[0]?.()
  await first
  for (let more = 0; more < 2; more++) begin()
  expect(ends).toHaveLength(3)
})
