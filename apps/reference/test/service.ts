import type { Store } from '@grantkit/core'
import { freePort } from '@grantkit/test-servers/free-port'
import type { ServiceEvent } from '../src/events.ts'
import { FRAMEWORKS } from '../src/frameworks/frameworks.ts'
import { createService, type Service } from '../src/service.ts'
import { parseSettings } from '../src/settings/settings.ts'
import { openStorage } from '../src/storage.ts'
import { newStorage } from './new-storage.ts'
import { quickHash } from './quick-hash.ts'

/** The accounts of the demo. */
const DEMO_PASSWORDS = ['demo', 'teacher'].map((word) => [`${word}@example.com`, quickHash(word)] as const)

/** The real service on a free loopback port of this process. */
export interface RunningService {
  readonly baseUrl: string
  /** The port it listens on; with a proxy, the base URL does not contain it. */
  readonly port: number
  readonly routes: Service['routes']
  readonly app: Service['app']
  readonly store: Store
  readonly clients: Service['clients']
  readonly grants: Service['grants']
  readonly accounts: Service['accounts']
  readonly directory: Service['directory']
  readonly events: ServiceEvent[]
  readonly errors: unknown[]
  close(): Promise<void>
}

/**
 * @param environment further settings. Where they name no database, the service gets new storage.
 * @param wrapped makes a store that fails out of the real one
 */
export async function runService(
  environment: Record<string, string> = {},
  wrapped = (store: Store) => store,
): Promise<RunningService> {
  const port = await freePort()
  const own = environment.DATABASE_URL === undefined ? await newStorage() : undefined
  const settings = parseSettings({
    NODE_ENV: 'test',
    PORT: String(port),
    ...own?.environment,
    ...environment,
  })
  const events: ServiceEvent[] = []
  const errors: unknown[] = []
  const observers = {
    onEvent: (event: ServiceEvent) => events.push(event),
    onError: (error: unknown) => errors.push(error),
  }
  const storage = await openStorage(settings, () => {})
  const store = wrapped(storage.store)
  const service = await createService(settings, observers, { ...storage, store })
  for (const [email, password] of DEMO_PASSWORDS)
    await storage.database.updateTable('account').set({ password }).where('email', '=', email).execute()
  const { HOST: host, PORT } = settings
  const https = settings.BASE_URL.startsWith('https:')
  const listening = await FRAMEWORKS[settings.FRAMEWORK](service, { host, port: PORT, https })
  return {
    baseUrl: settings.BASE_URL,
    port: settings.PORT,
    routes: service.routes,
    app: service.app,
    store,
    clients: service.clients,
    grants: service.grants,
    accounts: service.accounts,
    directory: service.directory,
    events,
    errors,
    async close() {
      await listening.close()
      await storage.close()
      await own?.close()
    },
  }
}
