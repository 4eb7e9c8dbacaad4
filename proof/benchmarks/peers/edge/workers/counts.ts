/** How often something was done, by its name in a bill. */
export type Counts = Record<string, number>

/** Of all requests of this Worker and of its objects, which share an isolate here, until they are read. */
let counts: Counts = {}

export function count(name: string, times = 1): void {
  counts[name] = (counts[name] ?? 0) + times
}

/** Milliseconds. */
let latency = 0

/** A call of the store, counted and after the time of a simulated network. */
export async function calling<T>(name: string, call: () => Promise<T>): Promise<T> {
  count(name)
  if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency))
  return call()
}

type Worker<Env, Context> = {
  fetch(request: Request, env: Env, context: Context): Response | Promise<Response>
}

/** The same Worker, which answers at `/counts` with what was counted since the last time, and sets the latency of its store. */
export function withCounts<Env, Context>(worker: Worker<Env, Context>): Worker<Env, Context> {
  return {
    fetch(request, env, context) {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname !== '/counts') return worker.fetch(request, env, context)
      const counted = counts
      counts = {}
      latency = Number(searchParams.get('latency'))
      return Response.json(counted)
    },
  }
}
