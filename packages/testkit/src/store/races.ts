import { describe, expect, it } from 'vitest'
import type { RecordKind } from './record-kind.ts'
import { farFuture, read, type Subject } from './subject.ts'

const CONTENDERS = Array.from({ length: 50 }, (_, index) => `contender ${index}`)
/** Enough rounds to find a race that is lost one time in ten. */
const ROUNDS = 20

/** Races of many callers. */
export function racePromises<T>(subject: Subject, kind: RecordKind<T>): void {
  describe('a race', () => {
    async function raced() {
      const records = kind.records(subject.store)
      const value = kind.marked('start')
      const id = kind.id(value)
      await records.insert(id, value, farFuture(subject.clock))
      return { records, id, seen: await read(records, id) }
    }

    it('of inserts under one id has exactly one winner, whose value stays', async () => {
      const records = kind.records(subject.store)
      for (let round = 0; round < ROUNDS; round++) {
        const id = kind.id(kind.marked('any'))
        const values = CONTENDERS.map((mark) => kind.marked(mark))
        const won = await Promise.all(
          values.map((value) => records.insert(id, value, farFuture(subject.clock))),
        )
        expect(won.filter(Boolean)).toHaveLength(1)
        expect((await read(records, id)).value).toStrictEqual(values[won.indexOf(true)])
      }
    })

    it('of replacements of one record has exactly one winner, whose value stays', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { records, id, seen } = await raced()
        const values = CONTENDERS.map((mark) => kind.marked(mark))
        const won = await Promise.all(
          values.map((value) => records.replace(id, seen, value, farFuture(subject.clock))),
        )
        expect(won.filter(Boolean)).toHaveLength(1)
        expect((await read(records, id)).value).toStrictEqual(values[won.indexOf(true)])
      }
    })

    it('of replacements that each saw the record for themselves has exactly one winner', async () => {
      const { records, id } = await raced()
      const sights = await Promise.all(CONTENDERS.map(() => read(records, id)))
      const won = await Promise.all(
        sights.map((seen) => records.replace(id, seen, seen.value, farFuture(subject.clock))),
      )
      expect(won.filter(Boolean)).toHaveLength(1)
    })

    it('of read-change-replace loops loses no change', async () => {
      const { records, id } = await raced()
      let changes = 0
      async function changeOnce(mark: string): Promise<void> {
        const seen = await read(records, id)
        if (!(await records.replace(id, seen, kind.marked(mark), farFuture(subject.clock))))
          return changeOnce(mark)
        changes++
      }
      await Promise.all(CONTENDERS.slice(0, 20).map(changeOnce))
      expect(changes).toBe(20)
    })

    it('of a removal against replacements ends with the record gone', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { records, id, seen } = await raced()
        const replacing = () => records.replace(id, seen, kind.marked('late'), farFuture(subject.clock))
        await Promise.all([replacing(), replacing(), records.remove(id), replacing(), replacing()])
        expect(await records.find(id)).toBeUndefined()
      }
    })
  })
}
