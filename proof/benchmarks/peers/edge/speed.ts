import { clientOf, SCOPE, times } from './client.ts'
import type { Measured } from './sides.ts'

/** Milliseconds of each request, and how long all of them took together. */
export interface Load {
  readonly latencies: number[]
  elapsed: number
}

/** Refreshes over HTTP, each with the token of the one before it. */
export type Chain = () => Promise<void>

/** @param count of grants, each with a chain of refreshes */
export async function chainsOf(side: Measured, url: string, count: number): Promise<Chain[]> {
  if (!('store' in side))
    return times(count, () => chain(`${url}/token`, { client_id: 'bare' }, 'a'.repeat(88)))
  const client = await clientOf(side, url)
  const { token_endpoint } = (await (
    await fetch(`${url}/.well-known/oauth-authorization-server`)
  ).json()) as { token_endpoint: string }
  const credentials = { client_id: client.clientId }
  const chains: Chain[] = []
  while (chains.length < count)
    chains.push(chain(token_endpoint, credentials, (await client.tokens(SCOPE)).refresh_token))
  return chains
}

function chain(endpoint: string, credentials: Record<string, string>, first: string): Chain {
  let refresh_token = first
  return async () => {
    const body = new URLSearchParams({ ...credentials, grant_type: 'refresh_token', refresh_token })
    const response = await fetch(endpoint, { method: 'POST', body })
    const answer = (await response.json()) as { refresh_token: string }
    if (!response.ok) throw new Error(`${endpoint} answered ${response.status}: ${JSON.stringify(answer)}`)
    refresh_token = answer.refresh_token
  }
}

export function newLoad(): Load {
  return { latencies: [], elapsed: 0 }
}

/** All chains at once, each with so many requests one after the other. */
export async function run(chains: readonly Chain[], requests: number, load: Load): Promise<void> {
  const start = performance.now()
  await Promise.all(
    chains.map(async (request) => {
      for (let sent = 0; sent < requests; sent++) {
        const began = performance.now()
        await request()
        load.latencies.push(performance.now() - began)
      }
    }),
  )
  load.elapsed += performance.now() - start
}
