import { DatabaseSync } from 'node:sqlite'
import { aGrant } from '@grantkit/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newStore, soon } from './files.ts'

let opened: Awaited<ReturnType<typeof newStore>>
beforeAll(async () => {
  opened = await newStore()
})
afterAll(() => opened.close())

it('the file names no subject in its keys', async () => {
  await opened.store.grants.insert('of-alice', aGrant({ subject: 'alice@server.example' }), soon())
  const database = new DatabaseSync(opened.path)
  const subjects = database.prepare('SELECT subject FROM grantkit_grant').all()
  for (const { subject } of subjects) expect(subject).toMatch(/^([\w-]{43})?$/)
  database.close()
})
