import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Linux takes the ports of outgoing connections from 32768 up: one of them could take a port between this probe and the start of
 * the server that it is for.
 */
const [FIRST, SHARES, SHARE] = [11_000, 42, 500]

/** The share of this process, for all copies of this module: it holds the first port of it as long as it lives. */
const own = globalThis as { portsOfTests?: Promise<{ readonly first: number; next: number }> }

/** A loopback port that is free now, and that no other process of the tests probes. */
export async function freePort(): Promise<number> {
  own.portsOfTests ??= ownShare()
  const share = await own.portsOfTests
  // None comes twice before all have come: servers that start together each have a port of their own.
  const port = share.first + 1 + (share.next++ % (SHARE - 1))
  const probe = await listening(port)
  if (probe === undefined) return freePort()
  probe.close()
  await once(probe, 'close')
  return port
}

async function ownShare(): Promise<{ readonly first: number; next: number }> {
  const start = randomInt(SHARES)
  for (let tried = 0; tried < SHARES; tried++) {
    const first = FIRST + ((start + tried) % SHARES) * SHARE
    const holder = await listening(first)
    if (holder !== undefined) {
      holder.unref()
      return { first, next: 0 }
    }
  }
  throw new Error(`The first port of each share is taken: ${FIRST}, ${FIRST + SHARE} and so on`)
}

async function listening(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  return once(server, 'listening').then(
    () => server,
    () => undefined,
  )
}
