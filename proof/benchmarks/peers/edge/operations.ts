import { clientOf, SCOPE } from './client.ts'
import { startWorker } from './running-worker.ts'
import type { Side } from './sides.ts'

/** How often one refresh did something, by its name in a bill. */
export type Operations = Readonly<Record<string, number>>

interface Price {
  /** US dollars for a million on the Paid plan, beyond what it includes. */
  readonly million: number
  /** How many the Free plan has in a day. */
  readonly freeADay: number
}

/**
 * List prices and limits of the store alone, of November 2026: check them. The request of the Worker and its CPU, and the
 * time that an object is active, are not in them.
 * https://developers.cloudflare.com/durable-objects/platform/pricing/, …/d1/platform/pricing/, …/kv/platform/pricing/
 */
const PRICES: Readonly<Record<Side['store'], Readonly<Record<string, Price>>>> = {
  objects: {
    calls: { million: 0.15, freeADay: 100_000 },
    rowsRead: { million: 0.001, freeADay: 5_000_000 },
    rowsWritten: { million: 1, freeADay: 100_000 },
  },
  d1: {
    rowsRead: { million: 0.001, freeADay: 5_000_000 },
    rowsWritten: { million: 1, freeADay: 100_000 },
  },
  kv: {
    reads: { million: 0.5, freeADay: 100_000 },
    writes: { million: 5, freeADay: 1000 },
    deletes: { million: 5, freeADay: 1000 },
    lists: { million: 5, freeADay: 1000 },
  },
}

/** Of one refresh by a client that has refreshed before. */
export async function operationsOfARefresh(side: Side): Promise<Operations> {
  const { url, close } = await startWorker({ ...side, worker: side.counted })
  const client = await clientOf(side, url)
  const first = await client.refresh((await client.tokens(SCOPE)).refresh_token)
  await countsOf(url)
  const { status } = await client.refresh(first.refresh_token ?? '')
  if (status !== 200) throw new Error(`${side.name} answered ${status} to a refresh`)
  const operations = await countsOf(url)
  await close()
  return operations
}

/** What a Worker that counts has done since the last time. @param latency milliseconds that each call of its store takes from now on */
export async function countsOf(url: string, latency = 0): Promise<Operations> {
  return (await (await fetch(`${url}/counts?latency=${latency}`)).json()) as Operations
}

/** US dollars for a million refreshes. */
export function priceOfAMillion({ store }: Side, operations: Operations): number {
  return sum(Object.entries(PRICES[store]).map(([name, { million }]) => million * (operations[name] ?? 0)))
}

/** How many refreshes the store allows in a day on the Free plan. */
export function freeRefreshesADay({ store }: Side, operations: Operations): number {
  const limits = Object.entries(PRICES[store]).map(
    ([name, { freeADay }]) => freeADay / (operations[name] ?? 0),
  )
  return Math.floor(Math.min(...limits))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
