import { describe, expect, it } from 'vitest'
import type { RecordKind } from './record-kind.ts'
import { farFuture, read, type Subject } from './subject.ts'

/** A real clock may tick right after a read; one full second then remains. */
const SOON = 2

/** A record exists before its expiry time and not at it. */
export function expiryPromises<T>(subject: Subject, kind: RecordKind<T>): void {
  // Real waits run in parallel; a fake clock must not be moved by one test during another.
  describe('expiry', { concurrent: subject.realTime }, () => {
    async function expiring(within = SOON) {
      const records = kind.records(subject.store)
      const value = kind.marked('short-lived')
      const id = kind.id(value)
      const expiresAt = subject.clock.now() + within
      expect(await records.insert(id, value, expiresAt)).toBe(true)
      return { records, id, value, expiresAt, seen: await read(records, id) }
    }

    it('keeps a record until its last second', async ({ signal }) => {
      const { records, id, value, expiresAt } = await expiring(SOON + 1)
      await subject.clock.reach(expiresAt - (subject.realTime ? 2 : 1), signal)
      expect((await read(records, id)).value).toStrictEqual(value)
    })

    it('removes a record at the second of its expiry', async ({ signal }) => {
      const { records, id, expiresAt } = await expiring()
      await subject.clock.reach(expiresAt, signal)
      expect(await records.find(id)).toBeUndefined()
    })

    it('does not replace an expired record that was seen before', async ({ signal }) => {
      const { records, id, seen, expiresAt } = await expiring()
      await subject.clock.reach(expiresAt, signal)
      expect(await records.replace(id, seen, kind.marked('late'), farFuture(subject.clock))).toBe(false)
      expect(await records.find(id)).toBeUndefined()
    })

    it('allows a new record of the same id, which readers of the old one cannot replace', async ({
      signal,
    }) => {
      const { records, id, seen, expiresAt } = await expiring()
      await subject.clock.reach(expiresAt, signal)
      const second = kind.marked('second')
      expect(await records.insert(id, second, farFuture(subject.clock))).toBe(true)
      expect(await records.replace(id, seen, kind.marked('late'), farFuture(subject.clock))).toBe(false)
      expect((await read(records, id)).value).toStrictEqual(second)
    })

    it('moves with a replacement, to a later time', async ({ signal }) => {
      const { records, id, seen, expiresAt } = await expiring()
      await records.replace(id, seen, kind.marked('prolonged'), farFuture(subject.clock))
      await subject.clock.reach(expiresAt, signal)
      expect(await records.find(id)).toBeDefined()
    })

    it('moves with a replacement, to an earlier time', async ({ signal }) => {
      const { records, id, seen } = await expiring(3600)
      const sooner = subject.clock.now() + SOON
      expect(await records.replace(id, seen, kind.marked('shortened'), sooner)).toBe(true)
      await subject.clock.reach(sooner, signal)
      expect(await records.find(id)).toBeUndefined()
    })

    it('is not moved by a replacement or an insert that was refused', async ({ signal }) => {
      const { records, id, seen, expiresAt } = await expiring(SOON + 1)
      const current = kind.marked('current')
      expect(await records.replace(id, seen, current, expiresAt)).toBe(true)
      expect(await records.replace(id, seen, kind.marked('late'), farFuture(subject.clock))).toBe(false)
      expect(await records.insert(id, kind.marked('late'), farFuture(subject.clock))).toBe(false)
      await subject.clock.reach(expiresAt, signal)
      expect(await records.find(id)).toBeUndefined()
    })

    it('removes at once a record that is inserted after its expiry', async () => {
      const records = kind.records(subject.store)
      const value = kind.marked('stillborn')
      await records.insert(kind.id(value), value, subject.clock.now() - 1)
      expect(await records.find(kind.id(value))).toBeUndefined()
    })
  })
}
