import { describe, expect, it } from 'vitest'
import type { RecordKind } from './record-kind.ts'
import { farFuture, read, type Subject } from './subject.ts'

/** The time until the store must find its records again, in milliseconds. */
const RECOVERY = 10_000

/** Acknowledged writes survive a crash of the server, and clients reconnect by themselves. */
export function restartPromises<T>(subject: Subject, kind: RecordKind<T>): void {
  describe('a restart', () => {
    it('leaves every acknowledged record, and its version', async () => {
      const records = kind.records(subject.store)
      const value = kind.marked('kept')
      const id = kind.id(value)
      await records.insert(id, value, farFuture(subject.clock))
      const seen = await read(records, id)
      await subject.restart()
      await expect
        .poll(() => records.find(id).catch(() => undefined), { timeout: RECOVERY })
        .toMatchObject({ value })
      expect(await records.insert(id, value, farFuture(subject.clock))).toBe(false)
      const changed = kind.marked('changed')
      expect(await records.replace(id, seen, changed, farFuture(subject.clock))).toBe(true)
      expect(await records.replace(id, seen, value, farFuture(subject.clock))).toBe(false)
    })

    it('brings nothing back that was removed', async () => {
      const records = kind.records(subject.store)
      const value = kind.marked('removed')
      const id = kind.id(value)
      await records.insert(id, value, farFuture(subject.clock))
      await records.remove(id)
      await subject.restart()
      const find = () => records.find(id).catch(() => 'unreachable')
      await expect.poll(find, { timeout: RECOVERY }).not.toBe('unreachable')
      expect(await find()).toBeUndefined()
    })
  })
}
