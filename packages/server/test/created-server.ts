import { rm } from 'node:fs/promises'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { freePort } from '@grantkit/test-servers/free-port'
import { createServer, type Server, type ServerConfig, type ServerOptions } from '../src/index.ts'

const OPTIONS = {
  environment: { LOG_LEVEL: 'silent' },
  observers: { onEvent: () => {}, onError: () => {} },
}

/** A server as a program creates it, which may listen on a free loopback port. */
export async function createdServer(config: ServerConfig = {}, options: ServerOptions = {}): Promise<Server> {
  const dataFolder = await folderInMemory('server')
  const given = { dataFolder, port: await freePort(), database: 'memory:', ...config }
  const removeFolder = () => rm(dataFolder, { recursive: true })
  const server = await createServer(given, { ...OPTIONS, ...options }).catch(async (error: unknown) => {
    await removeFolder()
    throw error
  })
  return {
    ...server,
    async close() {
      await server.close()
      await removeFolder()
    },
  }
}
