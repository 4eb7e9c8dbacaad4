import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Linux takes the ports of outgoing connections from 32768 up: one of them could take a port between this probe and the start of
 * the server that it is for.
 */
const [FIRST, SHARES, SHARE] = [11_000, 42, 500]

/** Workers that run at the same time have different ids, so none probes a port that another one is about to use. */
const share = Number(process.env.VITEST_POOL_ID ?? 0) % SHARES

/** Servers that start together each have a port of their own, because none comes twice before all of the share have come. */
let next = randomInt(SHARE)

/** A loopback port that is free now. */
export async function freePort(): Promise<number> {
  const port = FIRST + share * SHARE + (next++ % SHARE)
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
