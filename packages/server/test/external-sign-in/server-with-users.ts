import { freePort } from '@grantkit/test-servers/free-port'
import { onTestFinished } from 'vitest'
import type { Users } from '../../src/accounts/users/users.ts'
import type { ServiceEvent } from '../../src/events.ts'
import { type RunningServer, runServer } from '../running-server.ts'

/** That of every application in these tests. */
export const KEY = 'a shared key of at least 32 bytes'

/** A server in this process whose users are those of an application or of a directory. */
export interface ServerWithUsers extends RunningServer {
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
  const PORT = String(await freePort())
  const config = { scopes: SCOPES, users: await users(`http://127.0.0.1:${PORT}`) }
  const events: ServiceEvent[] = []
  const onEvent = (event: ServiceEvent) => void events.push(event)
  // A key may not be written into a configuration, but a program may give it one of its variables.
  const server = await runServer({ PORT, DATABASE_URL: 'memory:', KEY, ...environment }, config, { onEvent })
  onTestFinished(() => server.close())
  return { ...server, events }
}
