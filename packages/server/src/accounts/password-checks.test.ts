import { expect, it } from 'vitest'
import { passwordChecks } from './password-checks.ts'

it('two passwords are checked at a time, and fifty wait before the next one is rejected', async () => {
  const checks = passwordChecks()
  const finish: (() => void)[] = []
  const check = () => checks.inTurn(() => new Promise<void>((resolve) => finish.push(resolve)))
  const all: Promise<void>[] = []
  while (!checks.isFull()) all.push(check())
  await Promise.resolve()
  expect([all.length, finish.length]).toEqual([52, 2])
  finish[0]?.()
  await all[0]
  await new Promise(setImmediate)
  expect([checks.isFull(), finish.length]).toEqual([false, 3])
})
