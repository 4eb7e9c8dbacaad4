import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Rejects if the port is taken. Express would pass that error to the callback for success. */
export async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

/** Below the range of ports for outgoing connections, which come and go while a target starts. */
let next = 21_000

/** A free port whose successor is also free; never the same one twice. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next
    next += 2
    if ((await isFree(port)) && (await isFree(port + 1))) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  try {
    await listen(probe, port)
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}
