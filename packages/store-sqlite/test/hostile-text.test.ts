import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { aClient, aGrant, aTransient } from '@grantkit/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newStore, soon } from './files.ts'

let opened: Awaited<ReturnType<typeof newStore>>
beforeAll(async () => {
  opened = await newStore()
})
afterAll(() => opened.close())

/** Databases cut text at NUL, fold lone surrogates, limit the length of keys, or execute their input. */
const HOSTILE = [
  ['', 'nothing'],
  ['\0', 'NUL'],
  ['a\0b', 'a NUL inside'],
  ['a', 'what is before the NUL'],
  ['\ud800', 'a lone surrogate'],
  ['\ud801', 'another lone surrogate'],
  ['\ufffd', 'what replaces both'],
  [randomBytes(100_000).toString('base64'), 'long text that cannot be compressed'],
  [`'); DROP TABLE grantkit_grant; --`, 'SQL'],
  ['"', 'a quote'],
  ['%', 'a pattern'],
] as const

it('every id and subject is one of its own', async () => {
  const { clients, grants, transients } = opened.store
  for (const [text, name] of HOSTILE) {
    expect(await clients.insert(text, aClient({ clientId: text, clientName: name }), soon()), name).toBe(true)
    expect(await grants.insert(text, aGrant({ id: text, subject: text, nonce: name }), soon())).toBe(true)
    expect(await transients.insert(text, aTransient({ name }), soon()), name).toBe(true)
  }
  for (const [text, name] of HOSTILE) {
    expect((await clients.find(text))?.value).toMatchObject({ clientId: text, clientName: name })
    expect((await grants.find(text))?.value).toMatchObject({ id: text, nonce: name })
    expect((await transients.find(text))?.value).toMatchObject({ name })
    expect((await grants.list({ subject: text }, { limit: 200 })).grants.map(({ nonce }) => nonce)).toEqual([
      name,
    ])
  }
})

it('a grant without a user is in no list, not even in the list of the empty subject', async () => {
  const { grants } = opened.store
  const before = (await grants.list({ subject: '' }, { limit: 200 })).grants.length
  await grants.insert('without', aGrant({ id: 'without', subject: undefined }), soon())
  expect((await grants.list({ subject: '' }, { limit: 200 })).grants).toHaveLength(before)
})

it('the file names no subject in its keys', async () => {
  await opened.store.grants.insert('of-alice', aGrant({ subject: 'alice@server.example' }), soon())
  const database = new DatabaseSync(opened.path)
  const subjects = database.prepare('SELECT subject FROM grantkit_grant').all()
  for (const { subject } of subjects) expect(subject).toMatch(/^([\w-]{43})?$/)
  database.close()
})
