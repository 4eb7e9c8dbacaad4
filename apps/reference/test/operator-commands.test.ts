import { expect, it } from 'vitest'
import { runCommand } from './command.ts'
import { newStorage } from './new-storage.ts'
import { migrated } from './storage-of-test.ts'

/** The commands of the service that the program `grantkit` does not have. */

it('integration remove escapes terminal control characters in its error', async () => {
  const storage = await newStorage()
  const words = ['integration', 'remove', 'x\u001b[2j\u009b1m\u202e\u200b']
  const output = expect.stringContaining('x\\u001b[2j\\u009b1m\\u202e\\u200b')
  expect(await runCommand(words, await migrated(storage.environment))).toEqual({ status: 1, output })
  await storage.close()
})

it('integration list needs a store that it can share with the service', async () => {
  const { status, output } = await runCommand(['integration', 'list'], {})
  expect([status, output]).toEqual([1, expect.stringContaining('STORE_URL is memory:')])
})
