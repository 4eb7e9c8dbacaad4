import { performance } from 'node:perf_hooks'
import { stayAwake } from './awake.ts'
import { Connection } from './connection.ts'
import { stolenSeconds } from './stolen-time.ts'

export interface Load {
  readonly port: number
  /** Each is sent once, in this order, by the next free connection. */
  readonly requests: readonly Buffer[]
  readonly connections: number
  readonly expected: (status: number) => boolean
}

export interface LoadResult {
  readonly seconds: number
  /** The duration of each request, in milliseconds. */
  readonly latencies: Float64Array
  /** In the order of the requests. */
  readonly bodies: readonly Buffer[]
  /** Those of all answers, heads included. */
  readonly bytes: number
  /** The share of the time in which this process had something to do: near 1, the generator may be the limit. */
  readonly generatorBusy: number
  /** Core seconds per second that the host gave to other machines. */
  readonly stolen: number
}

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
  { requests, expected }: Load,
  connections: readonly Connection[],
  failed: (error: Error) => void,
): Promise<LoadResult> {
  const latencies = new Float64Array(requests.length)
  const bodies: Buffer[] = new Array(requests.length)
  const finished = Promise.withResolvers<void>()
  let sent = 0
  let done = 0
  let received = 0

  function next(connection: Connection): void {
    const index = sent++
    const request = requests[index]
    if (request === undefined) return
    const start = performance.now()
    connection.send(request, (status, body, bytes) => {
      latencies[index] = performance.now() - start
      bodies[index] = body
      received += bytes
      if (!expected(status))
        failed(new Error(`Answered ${status}: ${body.toString().slice(0, 500)}\nto ${request}`))
      else if (++done === requests.length) finished.resolve()
      else next(connection)
    })
  }

  const stolenBefore = stolenSeconds()
  const vigil = stayAwake(() => done)
  const start = performance.now()
  for (const connection of connections) next(connection)
  await finished.promise
  const seconds = (performance.now() - start) / 1000
  const idle = vigil.end()
  const stolen = (stolenSeconds() - stolenBefore) / seconds
  return { seconds, latencies, bodies, bytes: received, generatorBusy: 1 - idle / seconds, stolen }
}
