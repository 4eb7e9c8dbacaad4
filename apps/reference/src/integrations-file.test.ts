import { readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Client } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { integrationsFile, withIntegrations } from './integrations-file.ts'

function client(clientId: string, origin: Client['origin']): Client {
  return {
    clientId,
    origin,
    applicationType: 'web',
    redirectUris: ['https://app.example/cb'],
    tokenEndpointAuthMethod: 'client_secret_post',
    grantTypes: ['authorization_code'],
    idTokenSignedResponseAlg: 'RS256',
    createdAt: 1,
    expiresAt: 9_999_999_999,
  }
}

async function openFile() {
  const path = join(await temporaryFolder(), 'integrations.json')
  return {
    path,
    open: (waitMs?: number) => withIntegrations(createMemoryStore(), integrationsFile(path, waitMs)).clients,
  }
}

describe('integrations in a file', () => {
  it('are seen by a service that was running before they were added', async () => {
    const { open } = await openFile()
    const [service, command] = [open(), open()]
    expect(await service.find('zap')).toBeUndefined()
    expect(await command.insert('zap', client('zap', 'integration'), 9_999_999_999)).toBe(true)
    expect((await service.find('zap'))?.value.redirectUris).toEqual(['https://app.example/cb'])
    expect(await service.insert('zap', client('zap', 'integration'), 9_999_999_999), 'the id is taken').toBe(
      false,
    )
    await service.remove('zap')
    expect(await command.find('zap')).toBeUndefined()
  })

  it('are all kept that two instances add, change and remove at the same time', async () => {
    const { path, open } = await openFile()
    const instances = [open(), open()] as const
    const ids = Array.from({ length: 50 }, (_, index) => `client-${index}`)
    const add = (id: string, of: (typeof instances)[number]) =>
      of.insert(id, client(id, 'integration'), 9_999_999_999)
    const added = await Promise.all(ids.flatMap((id) => instances.map((instance) => add(id, instance))))
    expect(added.filter(Boolean).length, 'each id is given once').toBe(50)
    expect(Object.keys(JSON.parse(await readFile(path, 'utf8'))).sort()).toEqual(ids.sort())
    await Promise.all(ids.map((id, index) => instances[index % 2]?.remove(id)))
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({})
    expect(await readdir(dirname(path)), 'no lock is left').toEqual(['integrations.json'])
  })

  it('are changed by one of two that saw the same, whatever else has changed', async () => {
    const { open } = await openFile()
    const [service, command] = [open(), open()]
    for (const id of ['zap', 'other']) await service.insert(id, client(id, 'integration'), 9_999_999_999)
    const seen = await service.find('zap')
    if (seen === undefined) throw new Error('zap is not there')
    await command.remove('other')
    const replace = (of: typeof service, clientName: string) =>
      of.replace('zap', seen, { ...seen.value, clientName }, 9_999_999_999)
    const replaced = await Promise.all([replace(service, 'One'), replace(command, 'Two')])
    expect(replaced.filter(Boolean)).toHaveLength(1)
    expect(await replace(service, 'Three')).toBe(false)
    expect((await command.find('zap'))?.value.clientName).toMatch(/^(One|Two)$/)
  })

  it('are seen to change when time and size of the file stay the same', async () => {
    const { path, open } = await openFile()
    const service = open()
    for (const clientName of ['One', 'Two']) {
      await writeFile(path, JSON.stringify({ zap: { ...client('zap', 'integration'), clientName } }))
      await utimes(path, 1, 1)
      expect((await service.find('zap'))?.value.clientName).toBe(clientName)
    }
  })

  it('stay as they are when another process holds the lock, and the error names it', async () => {
    const { path, open } = await openFile()
    await writeFile(`${path}.lock`, '')
    await expect(open(20).insert('zap', client('zap', 'integration'), 9_999_999_999)).rejects.toThrow(
      `${path}.lock`,
    )
    expect(await open().find('zap')).toBeUndefined()
  })

  it('do not mix with clients that registered themselves', async () => {
    const { path, open } = await openFile()
    const service = open()
    await service.insert('cli', client('cli', 'registered'), 9_999_999_999)
    expect((await service.find('cli'))?.value.clientId).toBe('cli')
    await expect(readFile(path)).rejects.toThrow('ENOENT')
    expect(await service.find('__proto__')).toBeUndefined()
  })
})
