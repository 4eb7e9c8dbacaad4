import { randomBytes } from 'node:crypto'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it, vi } from 'vitest'
import { KEPT_SECONDS, MAX_SIGNED_LIFETIME, revocationLog } from '../../kernel/revocation-log.ts'
import type { Transients } from '../../kernel/store.ts'
import { systemTime, type Time } from '../../kernel/time.ts'
import { readRevocations } from './revocation-feed.ts'

/** Time that passes only for who sleeps: the one that wakes first goes on alone. */
function virtualTime(): Time {
  const sleeping: { readonly at: number; readonly wake: () => void }[] = []
  let elapsed = 0
  function next(): void {
    const [first] = sleeping.sort((one, other) => one.at - other.at).splice(0, 1)
    elapsed = first?.at ?? elapsed
    first?.wake()
  }
  return {
    ...systemTime,
    sleep: (milliseconds) =>
      new Promise((wake) => {
        sleeping.push({ at: elapsed + milliseconds, wake })
        setImmediate(next)
      }),
  }
}

/** Processes on one store, each with a clock of its own. */
function onOneStore() {
  const clock = { now: 1_800_000_000 }
  const transients = createMemoryStore({ now: () => clock.now }).transients as Transients
  const time = virtualTime()
  const process = (ahead = 0) => {
    const now = () => clock.now + ahead
    return {
      append: revocationLog(transients, { now, time, random: (size) => randomBytes(size) }),
      read: (after?: string) => readRevocations(transients, now(), after),
    }
  }
  return { clock, transients, process }
}

describe('the revocation log', () => {
  it.each([0, 3600, -100])(
    'shows at once what a process wrote whose clock differs by %d seconds',
    async (ahead) => {
      const { process } = onOneStore()
      const [writer, reader] = [process(ahead), process()]
      const { next } = await reader.read()
      await writer.append('one')
      expect((await reader.read(next)).entries).toEqual(['one'])
    },
  )

  it('gives a reader that goes on where it stopped each entry once, also after reads without a new one', async () => {
    const log = onOneStore().process()
    const seen: string[] = []
    let after: string | undefined
    for (const entry of ['1', '2', undefined, undefined, '3', undefined, '4']) {
      if (entry !== undefined) await log.append(entry)
      const { entries, next } = await log.read(after)
      seen.push(...entries)
      after = next
    }
    expect(seen).toEqual(['1', '2', '3', '4'])
  })

  it('goes on where a reader stopped, at whichever process it asks', async () => {
    const { process } = onOneStore()
    const [one, other] = [process(), process()]
    await one.append('1')
    await other.append('2')
    const first = await one.read()
    expect([...first.entries].sort()).toEqual(['1', '2'])
    await other.append('3')
    const second = await other.read(first.next)
    expect(second.entries).toEqual(['3'])
    expect((await one.read(second.next)).entries).toEqual([])
  })

  it('loses nothing of many processes and entries at once, and no write grows with them', async () => {
    const { transients, process } = onOneStore()
    const insert = vi.spyOn(transients, 'insert')
    const replace = vi.spyOn(transients, 'replace')
    const entries = Array.from({ length: 1000 }, (_, number) => `entry-${number}`)
    for (let writer = 0; writer < 5; writer++) {
      const log = process()
      for (const entry of entries.slice(200 * writer, 200 * (writer + 1))) await log.append(entry)
    }
    expect([...(await process().read()).entries].sort()).toEqual([...entries].sort())
    expect(insert.mock.calls.length + replace.mock.calls.length).toBeLessThanOrEqual(1000 + 5)
    const sizes = insert.mock.calls.map(([, value]) => JSON.stringify(value).length)
    expect(Math.max(...sizes)).toBeLessThan(150)
  })

  it('takes the first entries of many processes at once, and refuses none', async () => {
    const { process } = onOneStore()
    const entries = Array.from({ length: 80 }, (_, number) => `${number}`)
    await Promise.all(entries.map((entry) => process().append(entry)))
    expect([...(await process().read()).entries].sort()).toEqual([...entries].sort())
  })

  it('writes together what comes while a write is on its way', async () => {
    const { transients, process } = onOneStore()
    const insert = vi.spyOn(transients, 'insert')
    const log = process()
    await Promise.all(Array.from({ length: 300 }, (_, number) => log.append(`${number}`)))
    expect((await log.read()).entries).toHaveLength(300)
    expect(insert.mock.calls.length).toBeLessThan(5)
  })

  it('has no gap when the answer to a write is lost, whether it was carried out or not', async () => {
    const { transients, process } = onOneStore()
    const log = process()
    await log.append('0')
    const insert = transients.insert.bind(transients)
    for (const isWritten of [true, false]) {
      transients.insert = async (...record) => {
        if (isWritten) await insert(...record)
        throw new Error('The connection broke')
      }
      await expect(log.append(`lost ${isWritten}`)).rejects.toThrow('broke')
      transients.insert = insert
      await log.append(`after ${isWritten}`)
    }
    expect((await log.read()).entries).toEqual(['0', 'lost true', 'after true', 'after false'])
  })

  it('shows what follows a record that a failover has lost', async () => {
    const { transients, process } = onOneStore()
    const insert = vi.spyOn(transients, 'insert')
    const [log, reader] = [process(), process()]
    await log.append('0')
    const { next } = await reader.read()
    for (const entry of ['1', '2']) await log.append(entry)
    await transients.remove(insert.mock.calls.map(([id]) => id).find((id) => id.endsWith('.1')) ?? '')
    for (const entry of ['3', '4']) await log.append(entry)
    expect((await reader.read(next)).entries).toEqual(['2', '3', '4'])
    expect((await reader.read()).entries).toEqual(['0', '2', '3', '4'])
  })

  it('writes where readers look, after a failover lost the name of the stream or all of its end', async () => {
    const { clock, transients, process } = onOneStore()
    const insert = vi.spyOn(transients, 'insert')
    const [log, reader] = [process(), process()]
    const entries = Array.from({ length: 30 }, (_, number) => `${number}`)
    for (const entry of entries) await log.append(entry)
    await transients.remove('revocations')
    clock.now += 5
    await log.append('after the name')
    expect((await reader.read()).entries).toEqual([...entries, 'after the name'])

    for (const [id] of insert.mock.calls) if (/\.([5-9]|\d\d)$/.test(id)) await transients.remove(id)
    clock.now += 5
    await log.append('after the end')
    expect((await reader.read()).entries).toEqual([...entries.slice(0, 5), 'after the end'])
  })

  it('looks for its stream after an error, however short the time', async () => {
    const { transients, process } = onOneStore()
    const log = process()
    await log.append('0')
    vi.spyOn(transients, 'insert').mockRejectedValueOnce(new Error('The connection broke'))
    await expect(log.append('1')).rejects.toThrow('broke')
    await transients.remove('revocations')
    await log.append('2')
    expect((await process().read()).entries).toEqual(['0', '2'])
  })

  it('reads a record again that was written while it was read, and misses none', async () => {
    const { transients, process } = onOneStore()
    const [log, reader] = [process(), process()]
    await log.append('0')
    const find = transients.find.bind(transients)
    let written: Promise<void> | undefined
    transients.find = async (id) => {
      if (id.endsWith('.2')) await written
      const found = find(id)
      if (id.endsWith('.1'))
        written ??= found.then(async () => {
          for (const entry of ['1', '2']) await log.append(entry)
        })
      return found
    }
    expect((await reader.read()).entries).toEqual(['0', '1', '2'])
  })

  it('keeps an entry for as long as a guard may honour the token, and then forgets it', async () => {
    const { clock, process } = onOneStore()
    const log = process()
    for (const entry of ['first', 'second', 'third']) {
      await log.append(entry)
      clock.now += 100
    }
    clock.now += MAX_SIGNED_LIFETIME - 100
    expect((await log.read()).entries).toContain('third')
    clock.now += KEPT_SECONDS
    expect(await log.read('')).toEqual({ entries: [], next: '' })
  })

  it('lets a reader go on with a short text, however many processes write', async () => {
    const { process } = onOneStore()
    const reader = process()
    for (let writer = 0; writer < 700; writer++) await process().append(`${writer}`)
    const { next } = await reader.read()
    expect(next.length).toBeLessThan(16_384)
    await process().append('new')
    const { entries } = await reader.read(next)
    expect(entries).toContain('new')
    expect(entries.length).toBeLessThanOrEqual(301)
  })

  it.each(['x', '.', 'a.b c.-1', '__proto__.1'])(
    'reads everything after %j, which it never said',
    async (after) => {
      const { process } = onOneStore()
      const log = process()
      await log.append('one')
      expect((await log.read(after)).entries).toEqual(['one'])
    },
  )
})
