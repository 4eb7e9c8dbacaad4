import { createMemoryStore } from '@grantkit/store-memory'
import { expect, it } from 'vitest'
import type { Transients } from '../../kernel/store.ts'
import { systemTime } from '../../kernel/time.ts'
import { assertionId, markUsed } from './assertion.ts'

const NOW = 1_800_000_000
const id = assertionId('workload', 'https://ci.example.com', 'run-1')
const transients = createMemoryStore({ now: () => NOW }).transients as Transients

it('the mark of an assertion names its purpose, and outlives it by the clocks of two replicas', async () => {
  await markUsed(transients, { id, exp: NOW, atMost: 1 }, {})
  expect((await transients.find(id))?.value).toEqual({ kind: 'seen', expiresAt: NOW + 120 })
  const reused = assertionId('jwt of a pod')
  for (let uses = 1; uses < 3; uses++) {
    await markUsed(transients, { id: reused, exp: NOW, atMost: 20 }, {})
    expect((await transients.find(reused))?.value).toEqual({
      kind: 'assertion uses',
      uses,
      expiresAt: NOW + 120,
    })
  }
})

it('a use that 16 others are faster than is a 503, after pauses that grow', async () => {
  let attempts = 0
  const pauses: number[] = []
  const sleep = async (milliseconds: number) => void pauses.push(milliseconds)
  const ports = { time: { ...systemTime, sleep }, random: () => Uint8Array.of(128, 0) }
  const insert = async () => ++attempts < 0
  const find = async () => undefined
  const use = { id, exp: NOW, atMost: 20 }
  await expect(markUsed({ ...transients, find, insert }, use, ports)).rejects.toMatchObject({
    reason: 'contention',
  })
  expect(attempts).toBe(16)
  expect(pauses).toEqual([4, 8, 16, 32, 64, 128, ...Array.from({ length: 9 }, () => 256)])
})
