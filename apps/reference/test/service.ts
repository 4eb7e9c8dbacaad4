import type { Store } from '@grantkit/core'
import type { Service, ServiceEvent } from '@grantkit/server'
import { sendsHsts } from '@grantkit/server/listen'
import { freePort } from '@grantkit/test-servers/free-port'
import { quickHash } from '@grantkit/test-servers/quick-hash'
import { schoolConfig } from '../src/config.ts'
import { FRAMEWORKS } from '../src/frameworks/frameworks.ts'
import { createService, openSchoolStorage } from '../src/service.ts'
import { newStorage } from './new-storage.ts'

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
  readonly database: Awaited<ReturnType<typeof openSchoolStorage>>['database']
  readonly clients: Service['clients']
  readonly grants: Service['grants']
  readonly accounts: Service['accounts']
  readonly attempts: Service['attempts']
  readonly directory: Service['directory']
  readonly events: ServiceEvent[]
  readonly errors: unknown[]
  readonly settled: Service['settled']
  close(): Promise<void>
}

type Settings = Readonly<Record<string, string>>

/**
 * @param settings further config, of the port if it needs that. Where they name no database, the service gets new storage.
 * @param wrapped makes a store that fails out of the real one
 */
export async function runService(
  settings: Settings | ((port: number) => Settings | Promise<Settings>) = {},
  wrapped = (store: Store) => store,
): Promise<RunningService> {
  const port = await freePort()
  const environment = typeof settings === 'function' ? await settings(port) : settings
  const own = environment.DATABASE_URL === undefined ? await newStorage() : undefined
  const config = schoolConfig({
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
  const storage = await openSchoolStorage(config, () => {})
  const store = wrapped(storage.store)
  const service = await createService(config, observers, { ...storage, store })
  for (const [email, password] of DEMO_PASSWORDS)
    await storage.database.updateTable('account').set({ password }).where('email', '=', email).execute()
  const { host } = config
  const listening = await FRAMEWORKS[config.framework](service, {
    host,
    port: config.port,
    hsts: sendsHsts(config.baseUrl),
  })
  return {
    baseUrl: config.baseUrl,
    port: config.port,
    routes: service.routes,
    app: service.app,
    store,
    database: storage.database,
    clients: service.clients,
    grants: service.grants,
    accounts: service.accounts,
    attempts: service.attempts,
    directory: service.directory,
    events,
    errors,
    settled: service.settled,
    async close() {
      await listening.close()
      await storage.close()
      await own?.close()
    },
  }
}
