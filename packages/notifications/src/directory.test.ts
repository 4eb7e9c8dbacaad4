import type { Transients } from '@grantkit/core/feature'
import { strongRandom, systemTime } from '@grantkit/core/internal'
import { createMemoryStore } from '@grantkit/store-memory'
import { expect, it, vi } from 'vitest'
import { directory } from './directory.ts'
import { RECORD_SECONDS } from './queue.ts'

const NO_WAIT = { ...systemTime, sleep: async () => {} }

function open() {
  const clock = { now: 1_800_000_000 }
  const now = () => clock.now
  const transients = createMemoryStore({ now }).transients as Transients
  const listed = directory(transients, 'd', { now, time: NO_WAIT, random: strongRandom })
  const keys = async () => listed.keysIn(await listed.read())
  return { clock, transients, listed, keys, replace: vi.spyOn(transients, 'replace') }
}

const [A, B] = ['a', 'b'].map((key) => ({ key, isNew: false })) as [Named, Named]
type Named = Parameters<ReturnType<typeof directory>['add']>[0][number]
const fresh = (named: Named) => ({ ...named, isNew: true })

it.each<[string, Named[], number, string[], boolean]>([
  ['that it has', [A], 0, ['a'], false],
  ['that it has, before half of its time is over', [A], RECORD_SECONDS - 1, ['a'], false],
  ['that it has, when half of its time is over', [A], RECORD_SECONDS, ['a'], true],
  ['of a new queue', [fresh(B)], 0, ['a', 'b'], true],
  ['that it has, of a new queue', [fresh(A)], 0, ['a'], true],
  ['that it has, among those of new queues', [A, fresh(B)], 0, ['a', 'b'], true],
  ['that it has, among new queues that it has', [fresh(A), A], 0, ['a'], true],
  ['that it has lost', [B], 0, ['a', 'b'], true],
])('the directory gets a name %s', async (_, named, later, keys, isWritten) => {
  const opened = open()
  await opened.listed.add([fresh(A)])
  opened.clock.now += later
  expect(await opened.listed.add(named)).toBe(true)
  expect(await opened.keys()).toEqual(keys)
  expect(opened.replace).toHaveBeenCalledTimes(isWritten ? 1 : 0)
})

it.each([
  ['a', ['b'], 1],
  ['c', ['a', 'b'], 0],
])('the directory loses only the name %s', async (key, keys, writes) => {
  const opened = open()
  await opened.listed.add([fresh(A), fresh(B)])
  await opened.listed.remove([key], await opened.listed.read())
  expect(await opened.keys()).toEqual(keys)
  expect(opened.replace).toHaveBeenCalledTimes(writes)
})

it('a full directory takes what fits, and says for each name whether it has it', async () => {
  const { listed, keys } = open()
  const queue = (index: number) => ({ key: `queue${index}`, isNew: true })
  await Promise.all(Array.from({ length: 1899 }, (_, index) => listed.add([queue(index)])))
  const named = [queue(0), queue(1899), queue(1900), { ...fresh(A), isInbox: true }]
  expect(await Promise.all(named.map((each) => listed.add([each])))).toEqual([true, true, false, true])
  expect((await keys()).slice(-3)).toEqual(['queue1898', 'queue1899', 'a'])
})

it('inboxes may take all two thousand places', async () => {
  const { listed, keys } = open()
  const inbox = (index: number) => ({ key: `inbox${index}`, isNew: true, isInbox: true })
  const all = await Promise.all(Array.from({ length: 2001 }, (_, index) => listed.add([inbox(index)])))
  expect(all.filter((isNamed) => !isNamed)).toHaveLength(1)
  expect(await keys()).toHaveLength(2000)
})

it('the directory gives up when others have written first 32 times', async () => {
  const { listed, replace } = open()
  await listed.add([fresh(A)])
  for (let call = 0; call < 32; call++) replace.mockResolvedValueOnce(false)
  replace.mockRejectedValue(new Error('has not given up'))
  await expect(listed.add([fresh(B)])).rejects.toMatchObject({ status: 503 })
  expect(replace).toHaveBeenCalledTimes(32)
})
