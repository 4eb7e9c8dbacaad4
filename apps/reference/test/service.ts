import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServerEvent, Store } from '@grantkit/core'
import { FRAMEWORKS } from '../src/frameworks/frameworks.ts'
import { openStore } from '../src/open-store.ts'
import { createService, type Service } from '../src/service.ts'
import { parseSettings } from '../src/settings.ts'
import { framework } from './framework.ts'

/** The real service on a free loopback port of this process. */
export interface RunningService {
  readonly baseUrl: string
  /** Where it listens, which is not in the base URL when a proxy is. */
  readonly port: number
  readonly routes: Service['routes']
  readonly events: ServerEvent[]
  readonly errors: unknown[]
  close(): Promise<void>
}

export async function runService(
  environment: Record<string, string> = {},
  store?: Store,
): Promise<RunningService> {
  const port = await freePort()
  const settings = parseSettings({ NODE_ENV: 'test', PORT: String(port), ...framework, ...environment })
  const events: ServerEvent[] = []
  const errors: unknown[] = []
  const observers = {
    onEvent: (event: ServerEvent) => events.push(event),
    onError: (error: unknown) => errors.push(error),
  }
  const opened = await openStore(settings, () => {})
  const service = await createService(settings, observers, store ?? opened.store, opened.counting)
  const { HOST: host, PORT } = settings
  const https = settings.BASE_URL.startsWith('https:')
  const listening = await FRAMEWORKS[settings.FRAMEWORK](service.routes, { host, port: PORT, https })
  return {
    baseUrl: settings.BASE_URL,
    port: settings.PORT,
    routes: service.routes,
    events,
    errors,
    async close() {
      await listening.close()
      await opened.close()
    },
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((listening) => probe.listen(0, '127.0.0.1', listening))
  const { port } = probe.address() as AddressInfo
  await new Promise((closed) => probe.close(closed))
  return port
}
