import { describe, expect, it } from 'vitest'
import { expiringRecords } from './expiring-records.ts'

/** Records on a clock that the test moves, with the ids of all records held, alive or not. */
function someRecords(maxRecords = Number.POSITIVE_INFINITY) {
  const clock = { now: 1_800_000_000 }
  const held = new Set<string>()
  const reported: string[] = []
  const follower = {
    follow(id: string, before?: string, after?: string) {
      held[after === undefined ? 'delete' : 'add'](id)
      reported.push(`${id}: ${before ?? 'none'} > ${after ?? 'none'}`)
    },
  }
  const records = expiringRecords<string>({ now: () => clock.now, maxRecords }, follower)
  return { clock, held, records, reported }
}

const PER_SECOND = 20

/** The maximum of held and of live records during a stream of ten minutes. */
async function mostOf(lifetimeOf: (index: number) => number) {
  const { clock, held, records } = someRecords()
  const ends = new Map<number, number>()
  const most = { held: 0, alive: 0 }
  let alive = 0
  for (let index = 0; index < 600 * PER_SECOND; index++) {
    if (index % PER_SECOND === 0) alive -= ends.get(++clock.now) ?? 0
    const end = clock.now + lifetimeOf(index)
    ends.set(end, (ends.get(end) ?? 0) + 1)
    alive++
    await records.insert(`${index}`, 'a value', end)
    most.held = Math.max(most.held, held.size)
    most.alive = Math.max(most.alive, alive)
  }
  return most
}

describe('a steady stream of records', () => {
  it.each([
    ['live equally long', () => 60],
    ['live longer and longer', (index: number) => 1 + (index % 120)],
    ['live shorter and shorter', (index: number) => 120 - (index % 120)],
    ['mostly live briefly', (index: number) => (index % 50 === 0 ? 300 : 5)],
    ['mostly live long', (index: number) => (index % 50 === 0 ? 5 : 300)],
    ['end together', (index: number) => 60 - (Math.floor(index / PER_SECOND) % 60)],
  ])(
    'that %s never holds more than one and a half times the most that live at a time',
    async (_, lifetimeOf) => {
      const most = await mostOf(lifetimeOf)
      expect(most.held).toBeLessThanOrEqual(1.5 * most.alive + 2)
    },
  )
})

describe('every write', () => {
  const expired = async () => {
    const some = someRecords()
    for (let index = 0; index < 100; index++)
      await some.records.insert(`${index}`, 'a value', some.clock.now + 60)
    some.clock.now += 60
    return some
  }

  it('frees a few of the records that have expired and no more', async () => {
    const { held, records } = await expired()
    await records.remove('nothing')
    expect(held.size).toBeLessThan(100)
    expect(held.size).toBeGreaterThan(90)
  })

  it.each(['insert', 'replace', 'remove'] as const)('comes round by %s', async (verb) => {
    const { clock, held, records } = await expired()
    const seen = { value: 'a value', version: 'none' }
    for (let write = 0; write < 40; write++) {
      if (verb === 'insert') await records.insert('the same', 'a value', clock.now + 60)
      if (verb === 'replace') await records.replace('the same', seen, 'a value', clock.now + 60)
      if (verb === 'remove') await records.remove('the same')
    }
    expect([...held]).toEqual(verb === 'insert' ? ['the same'] : [])
  })
})

it('replaces no missing record, whatever was seen', async () => {
  const { clock, held, records } = someRecords()
  const seen = { value: 'a value', version: undefined }
  expect(await records.replace('missing', seen, 'a value', clock.now + 60)).toBe(false)
  expect([...held]).toEqual([])
})

it('reports each inserted, changed and removed record, with its old and new value', async () => {
  const { clock, records, reported } = someRecords()
  const end = clock.now + 60
  await records.insert('a', 'first', end)
  await records.insert('a', 'refused', end)
  const seen = await records.find('a')
  if (seen === undefined) throw new Error('The record is not there')
  await records.replace('a', seen, 'second', end)
  await records.replace('a', seen, 'refused', end)
  await records.remove('a')
  await records.remove('a')
  expect(reported).toEqual(['a: none > first', 'a: first > second', 'a: second > none'])
})

it('reports the end of an expired record before another one takes its id, wherever the cursor is', async () => {
  for (let before = 0; before < 20; before++) {
    const { clock, records, reported } = someRecords()
    for (let n = 0; n < before; n++) await records.insert(`${n}`, 'lasting', clock.now + 60)
    await records.insert('a', 'first', clock.now + 10)
    clock.now += 10
    await records.insert('a', 'second', clock.now + 60)
    expect(reported.slice(before)).toEqual(['a: none > first', 'a: first > none', 'a: none > second'])
  }
})
