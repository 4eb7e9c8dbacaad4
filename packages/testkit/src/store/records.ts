import { describe, expect, it } from 'vitest'
import type { RecordKind } from './record-kind.ts'
import { farFuture, read, type Subject } from './subject.ts'

/** The effect of each of the four methods, for a single caller. */
export function recordPromises<T>(subject: Subject, kind: RecordKind<T>): void {
  describe('a record', () => {
    async function inserted(mark: string) {
      const records = kind.records(subject.store)
      const value = kind.marked(mark)
      const id = kind.id(value)
      expect(await records.insert(id, value, farFuture(subject.clock))).toBe(true)
      return { records, id, value, seen: await read(records, id) }
    }

    it('is found once inserted', async () => {
      const { seen, value } = await inserted('first')
      expect(seen.value).toStrictEqual(value)
    })

    it('is not inserted over another of its id, which stays as it was', async () => {
      const { records, id, value, seen } = await inserted('first')
      expect(await records.insert(id, kind.marked('second'), farFuture(subject.clock))).toBe(false)
      expect((await read(records, id)).value).toStrictEqual(value)
      expect(await records.replace(id, seen, value, farFuture(subject.clock))).toBe(true)
    })

    it('is replaced by a caller that saw the latest version', async () => {
      const { records, id, seen } = await inserted('first')
      const second = kind.marked('second')
      const third = kind.marked('third')
      expect(await records.replace(id, seen, second, farFuture(subject.clock))).toBe(true)
      expect((await read(records, id)).value).toStrictEqual(second)
      expect(await records.replace(id, await read(records, id), third, farFuture(subject.clock))).toBe(true)
      expect((await read(records, id)).value).toStrictEqual(third)
    })

    it('is not replaced by a caller that saw an earlier version', async () => {
      const { records, id, seen } = await inserted('first')
      const second = kind.marked('second')
      await records.replace(id, seen, second, farFuture(subject.clock))
      expect(await records.replace(id, seen, kind.marked('late'), farFuture(subject.clock))).toBe(false)
      expect((await read(records, id)).value).toStrictEqual(second)
    })

    it('counts as changed when the same value was written again', async () => {
      const { records, id, value, seen } = await inserted('first')
      expect(await records.replace(id, seen, value, farFuture(subject.clock))).toBe(true)
      expect(await records.replace(id, seen, kind.marked('late'), farFuture(subject.clock))).toBe(false)
    })

    it('is not replaced when another was read', async () => {
      const { records, id, value } = await inserted('first')
      const other = await inserted('other')
      expect(await records.replace(id, other.seen, kind.marked('late'), farFuture(subject.clock))).toBe(false)
      expect((await read(records, id)).value).toStrictEqual(value)
    })

    it('is gone once removed, for readers and writers', async () => {
      const { records, id, seen } = await inserted('first')
      expect(await records.remove(id)).toBe(true)
      expect(await records.find(id)).toBeUndefined()
      expect(await records.replace(id, seen, kind.marked('late'), farFuture(subject.clock))).toBe(false)
      expect(await records.find(id)).toBeUndefined()
    })

    it('is another one after it was removed and inserted again', async () => {
      const { records, id, value, seen } = await inserted('first')
      await records.remove(id)
      expect(await records.insert(id, value, farFuture(subject.clock))).toBe(true)
      expect(await records.replace(id, seen, kind.marked('late'), farFuture(subject.clock))).toBe(false)
      expect((await read(records, id)).value).toStrictEqual(value)
    })

    it('is removed twice without an error, and one of ten removals at once was the first', async () => {
      const { records, id } = await inserted('first')
      const removals = await Promise.all(Array.from({ length: 10 }, () => records.remove(id)))
      expect(removals.filter((first) => first)).toHaveLength(1)
      expect(await records.remove(id)).toBe(false)
    })

    it('leaves the other records alone when it goes', async () => {
      const { records, id } = await inserted('first')
      const other = await inserted('other')
      await records.remove(id)
      expect((await read(records, other.id)).value).toStrictEqual(other.value)
    })
  })
}
