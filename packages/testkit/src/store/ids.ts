import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { RecordKind } from './record-kind.ts'
import { farFuture, read, type Subject } from './subject.ts'

/** Ids come from the wire, so an attacker chooses them. */
const HOSTILE_IDS = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  'a:b',
  'a*',
  '[a-z]?',
  '{a}',
  '../a',
  'a b\r\nc\u0000d',
  '"\'\\',
  '%00%2F',
  'größ-😀-\u202e',
  'x'.repeat(10_000),
]

/** An id is looked up literally: never as a pattern, a path, a property or another spelling. */
export function idPromises<T>(subject: Subject, kind: RecordKind<T>): void {
  describe('an id', () => {
    it.each(HOSTILE_IDS.map((id) => [label(id), id]))('%s is unknown until it is written', async (_, id) => {
      const records = kind.records(subject.store)
      await records.remove(id)
      expect(await records.find(id)).toBeUndefined()
      const value = kind.marked('hostile')
      expect(await records.insert(id, value, farFuture(subject.clock))).toBe(true)
      expect((await read(records, id)).value).toStrictEqual(value)
      await records.remove(id)
      expect(await records.find(id)).toBeUndefined()
    })

    it('is unknown when it is empty', async () => {
      expect(await kind.records(subject.store).find('')).toBeUndefined()
    })

    it('is distinct from every similar id', async () => {
      const records = kind.records(subject.store)
      const id = `Id-${randomUUID()}`
      await records.insert(id, kind.marked('one'), farFuture(subject.clock))
      for (const other of [id.toLowerCase(), ` ${id}`, `${id} `, `${id}\u0000`, id.slice(0, -1), `${id}0`]) {
        expect(await records.find(other), label(other)).toBeUndefined()
      }
    })

    it('names a record of each kind without mixing them up', async () => {
      const id = kind.id(kind.marked('any'))
      await kind.records(subject.store).insert(id, kind.marked('one'), farFuture(subject.clock))
      const { clients, grants, transients } = subject.store
      const all = [await clients.find(id), await grants.find(id), await transients?.find(id)]
      const found = all.filter((stored) => stored !== undefined)
      expect(found).toHaveLength(1)
    })
  })
}

function label(id: string): string {
  return JSON.stringify(id.length > 40 ? `${id.slice(0, 20)} (${id.length} characters)` : id)
}
