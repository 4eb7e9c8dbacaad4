import { performance } from 'node:perf_hooks'
import { Connection } from './connection.ts'

interface Load {
  readonly port: number
  /** Each is sent once, in this order, by the next free connection. */
  readonly requests: readonly Buffer[]
  readonly connections: number
  readonly isExpected: (status: number) => boolean
}

/** The bodies are in the order of the requests. */
type LoadResult = { readonly seconds: number; readonly bodies: readonly Buffer[] }

/** Sends all requests over a fixed number of connections, each the next one as soon as it has an answer. */
export async function drive(load: Load): Promise<LoadResult> {
  const failure = Promise.withResolvers<never>()
  const opening = Array.from({ length: load.connections }, () => Connection.open(load.port, failure.reject))
  const connections = await Promise.race([failure.promise, Promise.all(opening)])
  try {
    return await Promise.race([failure.promise, run(load, connections, failure.reject)])
  } finally {
    for (const connection of connections) connection.close()
  }
}

async function run(
  { requests, isExpected }: Load,
  connections: readonly Connection[],
  failed: (error: Error) => void,
): Promise<LoadResult> {
  const bodies: Buffer[] = new Array(requests.length)
  const finished = Promise.withResolvers<void>()
  let sent = 0
  let done = 0

  function next(connection: Connection): void {
    const index = sent++
    const request = requests[index]
    if (request === undefined) return
    connection.send(request, (status, body) => {
      bodies[index] = body
      if (!isExpected(status))
        failed(new Error(`Answered ${status}: ${body.toString().slice(0, 500)}\nto ${request}`))
      else if (++done === requests.length) finished.resolve()
      else next(connection)
    })
  }

  const sleep = stayAwake()
  const start = performance.now()
  for (const connection of connections) next(connection)
  await finished.promise
  sleep()
  return { seconds: (performance.now() - start) / 1000, bodies }
}

/**
 * Turns the event loop without ever sleeping. To wake a sleeping core costs the sender up to 20 µs in a virtual machine: a
 * slow server would pay that for each answer, a fast one, whose next answer comes before the core has fallen asleep, for none.
 *
 * @returns what ends it
 */
function stayAwake(): () => void {
  let awake = true
  const turn = () => {
    if (awake) setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    awake = false
  }
}
