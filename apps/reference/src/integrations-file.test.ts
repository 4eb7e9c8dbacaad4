import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
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
  return { path, open: () => withIntegrations(createMemoryStore(), integrationsFile(path)).clients }
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

  it('do not mix with clients that registered themselves', async () => {
    const { path, open } = await openFile()
    const service = open()
    await service.insert('cli', client('cli', 'registered'), 9_999_999_999)
    expect((await service.find('cli'))?.value.clientId).toBe('cli')
    await expect(readFile(path)).rejects.toThrow('ENOENT')
    expect(await service.find('__proto__')).toBeUndefined()
  })
})
