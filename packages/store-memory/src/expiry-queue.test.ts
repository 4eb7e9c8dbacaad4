import { expect, it } from 'vitest'
import { type Expiring, ExpiryQueue } from './expiry-queue.ts'

it('hands out what was added and not deleted in the order of expiry, however often that changed', () => {
  const number = pseudoRandom(20_260_101)
  for (let round = 0; round < 300; round++) {
    const queue = new ExpiryQueue<Expiring>()
    const waiting: Expiring[] = []
    for (let step = number(80); step > 0; step--) {
      const member = { expiresAt: number(20), due: 0, position: 0 }
      queue.add(member)
      waiting.push(member)
      const one = waiting[number(waiting.length)] ?? member
      if (number(2) === 0) {
        one.expiresAt = number(20)
        queue.moved(one)
      }
      if (number(3) === 0) for (const gone of waiting.splice(number(waiting.length), 1)) queue.delete(gone)
    }
    const inOrder = waiting.map((member) => member.expiresAt).sort((one, other) => one - other)
    expect(drained(queue)).toStrictEqual(inOrder)
  }
})

function drained(queue: ExpiryQueue<Expiring>): number[] {
  const order: number[] = []
  for (let first = queue.first(); first !== undefined; first = queue.first()) {
    if (first.due < first.expiresAt) {
      queue.defer(first)
    } else {
      order.push(first.expiresAt)
      queue.delete(first)
    }
  }
  return order
}

/** The same numbers in every run (Lehmer's generator). */
function pseudoRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}
