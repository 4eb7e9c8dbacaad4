import { onTestFinished, vi } from 'vitest'
import type { RunningServer } from './running-server.ts'

/** Requests that the limits count. */

const REGISTRATION = JSON.stringify({ redirect_uris: ['http://127.0.0.1:1/cb'] })

export const at = ({ port }: RunningServer, path: string) => `http://127.0.0.1:${port}${path}`

export function register(server: RunningServer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(at(server, '/api/oauth/register'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: REGISTRATION,
  })
}

export function refresh(server: RunningServer, client_id: string, refresh_token: string): Promise<Response> {
  return fetch(at(server, '/api/oauth/token'), {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token }),
  })
}

/** The statuses of requests, one after another. */
export async function statuses(count: number, send: (n: number) => Promise<Response>): Promise<number[]> {
  const seen: number[] = []
  for (let n = 0; n < count; n++) seen.push((await send(n)).status)
  return seen
}

/** A replica counts by itself when a reply is late, as on a busy machine. Until the test ends, none is. */
export function noDeadlines(): void {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}
