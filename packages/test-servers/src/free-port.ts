import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Linux takes the ports of outgoing connections from 32768 up: one of them could take a port between this probe and the start of
 * the server that it is for.
 */
const [FIRST, LAST] = [11_000, 32_000]

/** A loopback port that is free now. */
export async function freePort(): Promise<number> {
  const port = randomInt(FIRST, LAST)
  const probe = createServer().listen(port, '127.0.0.1')
  const isFree = await once(probe, 'listening').then(
    () => true,
    () => false,
  )
  if (!isFree) return freePort()
  probe.close()
  await once(probe, 'close')
  return port
}
