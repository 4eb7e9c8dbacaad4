import { describe, expect, it } from 'vitest'
import type { ListedKind } from './record-kind.ts'
import { farFuture, read, type Subject } from './subject.ts'

/** More records than a store is likely to return in one step. */
const MANY = 240

/** A scan returns every record that exists during the whole scan, as it was last written. */
export function scanPromises<T>(subject: Subject, kind: ListedKind<T>): void {
  describe('scan', () => {
    const records = () => kind.records(subject.store)

    async function inserted(expiresAt = farFuture(subject.clock)): Promise<string> {
      const value = kind.marked('scanned')
      await records().insert(kind.id(value), value, expiresAt)
      return kind.id(value)
    }

    /** Inserts a few at a time, because this is not a load test. */
    async function insertedMany(count: number): Promise<string[]> {
      const ids: string[] = []
      while (ids.length < count)
        ids.push(...(await Promise.all(Array.from({ length: 20 }, () => inserted()))))
      return ids
    }

    async function scanned(meanwhile?: () => Promise<unknown>): Promise<Map<string, T>> {
      const found = new Map<string, T>()
      for await (const value of records().scan()) {
        if (found.size === 0) await meanwhile?.()
        found.set(kind.id(value), value)
      }
      return found
    }

    it('names each of many records', async () => {
      const ids = await insertedMany(MANY)
      const found = await scanned()
      expect(ids.filter((id) => !found.has(id))).toEqual([])
    })

    it('shows a record as it was last replaced', async () => {
      const id = await inserted()
      const seen = await read(records(), id)
      const value = { ...seen.value, ...kind.marked('replaced'), ...kind.identified(id) }
      await records().replace(id, seen, value, farFuture(subject.clock))
      expect((await scanned()).get(id)).toStrictEqual(value)
    })

    it('names nothing that was removed or has expired', async ({ signal }) => {
      const expiresAt = subject.clock.now() + 2
      const [kept, removed, expired] = [await inserted(), await inserted(), await inserted(expiresAt)]
      await records().remove(removed)
      await subject.clock.reach(expiresAt, signal)
      const found = await scanned()
      expect([kept, removed, expired].map((id) => found.has(id))).toEqual([true, false, false])
    })

    it('misses no record that stays, while others are added and removed', async () => {
      const [staying, going] = [await insertedMany(MANY / 2), await insertedMany(MANY / 2)]
      const found = await scanned(async () => {
        for (const id of going) await records().remove(id)
        await insertedMany(MANY)
      })
      expect(staying.filter((id) => !found.has(id))).toEqual([])
    })
  })
}
