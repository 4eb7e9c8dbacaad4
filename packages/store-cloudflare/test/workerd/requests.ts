import { exports } from 'cloudflare:workers'
import { type Send, type TestClient, testClient } from '@grantkit/testkit/client'

/** A client of a service of the Worker. Each of its requests is one of the runtime, with a context of its own. */
export function clientOf(issuer: string): Promise<TestClient> {
  return testClient(issuer, { send })
}

const send: Send = async (url, { method, headers, body }) => {
  const lines = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  const sent = { method, headers: lines, redirect: 'manual', body: body || null } as const
  const response = await exports.default.fetch(new Request(url, sent))
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  }
}
