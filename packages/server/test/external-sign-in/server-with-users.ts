import { freePort } from '@grantkit/test-servers/free-port'
import { onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config/config.ts'
import type { ServiceEvent } from '../../src/events.ts'
import { listenOnHono } from '../../src/listen/hono.ts'
import { createService, type Service } from '../../src/service.ts'
import { openStorage, type Storage } from '../../src/storage.ts'
import type { Users } from '../../src/users/users.ts'

/** That of every application in these tests. */
export const KEY = 'a shared key of at least 32 bytes'

/** A server in this process whose users are those of an application or of a directory. */
export interface ServerWithUsers extends Service {
  readonly baseUrl: string
  readonly database: Storage['database']
  readonly events: ServiceEvent[]
}

const SCOPES = {
  openid: { description: 'Know who you are' },
  profile: { description: 'Know your name' },
  email: { description: 'Know your address' },
  'notes:read': { description: 'Read your notes', baseline: true },
  staff: { description: 'Know your role', claims: ['role'] },
}

/** @param users gets the base URL of the server */
export async function serverWithUsers(
  users: (baseUrl: string) => Users | Promise<Users>,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerWithUsers> {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const config = parseConfig({
    config: { mode: 'test', port, scopes: SCOPES, database: 'memory:', users: await users(baseUrl) },
    // A key may not be written into a configuration, but a program may give it one of its variables.
    environment: { KEY, ...environment },
  })
  const storage = await openStorage(config, () => {})
  onTestFinished(() => storage.close())
  const events: ServiceEvent[] = []
  const observers = { onEvent: (event: ServiceEvent) => void events.push(event), onError: () => {} }
  const service = await createService({ definition: {}, config, observers, storage })
  const listening = await listenOnHono(service, { host: config.host, port, https: false })
  onTestFinished(() => listening.close())
  return { ...service, baseUrl, database: storage.database, events }
}
