import { once } from 'node:events'
import { aClient, aGrant } from '@grantkit/testkit'
import { expect, it } from 'vitest'
import { newFolder, newStore, soon } from './files.ts'
import type { Filled } from './processes/fill.ts'
import { startProcess } from './processes/process.ts'

it('of several processes on one file, one wins each write', async () => {
  const { store, path, close } = await newStore()
  const children = await Promise.all([1, 2, 3].map(() => startProcess('race.ts')))
  const compete = async (message: object) => {
    const reports = children.map((child) => once(child, 'message'))
    for (const child of children) child.send(message)
    return (await Promise.all(reports)).flatMap(([won]) => won as string[])
  }
  const all = Array.from({ length: 100 }, (_, index) => `client-${index}`).sort()

  const inserted = await compete({
    path,
    client: aClient({ createdAt: 0 }),
    grant: aGrant(),
    end: soon(),
  })
  expect(inserted.sort()).toEqual(all)
  const replaced = await compete({})
  expect((await store.clients.find('client-0'))?.value.createdAt).toBe(replaced.length)
  expect(replaced.length).toBeGreaterThanOrEqual(100)
  expect((await compete({})).sort()).toEqual(all)

  for (const child of children) child.send({})
  await Promise.all(children.map((child) => once(child, 'exit')))
  await close()
})

it('several processes that migrate one new file at once get along', async () => {
  const { path, remove } = await newFolder()
  const children = await Promise.all([1, 2, 3].map(() => startProcess('migrate.ts')))
  const reports = children.map((child) => once(child, 'message'))
  for (const child of children) child.send({ path })
  expect((await Promise.all(reports)).flatMap(([errors]) => errors)).toEqual([])
  await remove()
})

it('a disk that takes no more rejects writes, and what was acknowledged stays', async () => {
  const { store, path, close } = await newStore()
  const child = await startProcess('fill.ts', 200)
  child.send({ path, client: aClient(), grant: aGrant(), end: soon() })
  const [filled] = (await once(child, 'message')) as [Filled]
  expect(filled).toEqual({
    error: expect.stringMatching(/disk/),
    lastIsThere: true,
    refusedIsThere: false,
  })
  expect(await store.grants.find('grant-0')).toBeDefined()
  await close()
})
