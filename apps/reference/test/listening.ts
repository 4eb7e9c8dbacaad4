import type { Listen } from '@grantkit/server/listen'
import { freePort } from '@grantkit/test-servers/free-port'
import { onTestFinished } from 'vitest'

/** Listens on a free loopback port until the test ends. */
export async function listenOn(
  listen: Listen,
  service: Parameters<Listen>[0],
  more: Partial<Parameters<Listen>[1]> = {},
) {
  const port = await freePort()
  const listening = await listen(service, { host: '127.0.0.1', port, hsts: false, ...more })
  onTestFinished(() => listening.close())
  return { ...listening, port }
}
