import { DatabaseSync } from 'node:sqlite'
import { aClient } from '@grantkit/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newStore, soon } from './files.ts'

const CLIENTS = 1200

let opened: Awaited<ReturnType<typeof newStore>>
beforeEach(async () => {
  opened = await newStore()
  const ids = Array.from({ length: CLIENTS }, (_, index) => `client-${index}`)
  const insert = (clientId: string) => opened.store.clients.insert(clientId, aClient({ clientId }), soon())
  await Promise.all(ids.map(insert))
})
afterEach(() => opened.close())

describe('a scan', () => {
  it('holds no statement open: this process and others write meanwhile', async () => {
    const { clients } = opened.store
    const other = new DatabaseSync(opened.path)
    const found = new Set<string>()
    for await (const { clientId } of clients.scan()) {
      found.add(clientId)
      if (found.size % 300 !== 0) continue
      other.exec(`UPDATE grantkit_client SET expires_at = expires_at + 1 WHERE id = '${clientId}'`)
      expect(await clients.remove(clientId)).toBe(true)
    }
    expect(found.size).toBe(CLIENTS)
    other.close()
  })

  it('lets the log be written back meanwhile', async () => {
    const other = new DatabaseSync(opened.path)
    const each = opened.store.clients.scan()[Symbol.asyncIterator]()
    await each.next()
    other.exec('UPDATE grantkit_client SET expires_at = expires_at + 1')
    const { log, checkpointed } = other.prepare('PRAGMA wal_checkpoint(FULL)').get() ?? {}
    expect(checkpointed).toBe(log)
    other.close()
  })

  it('names each record once, and lets requests be served between its pages', async () => {
    let turns = 0
    const turn = () => {
      turns += 1
      timer = setImmediate(turn)
    }
    let timer = setImmediate(turn)
    const found: string[] = []
    for await (const { clientId } of opened.store.clients.scan()) found.push(clientId)
    clearImmediate(timer)
    expect([found.length, new Set(found).size]).toEqual([CLIENTS, CLIENTS])
    expect(turns).toBeGreaterThanOrEqual(2)
  })
})
