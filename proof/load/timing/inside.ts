import { promises as dns } from 'node:dns'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { safeFetch } from '@grantkit/safe-fetch'
import type { Pair } from './samples.ts'

const SAMPLES = 20_000

/** Both names lead inside. At the port, one address has a program that listens, and the other is unreachable. */
const ADDRESSES: Readonly<Record<string, string>> = { 'busy.dev': '127.0.0.1', 'empty.dev': '127.0.0.2' }

export interface InsidePair {
  readonly pair: Pair
  close(): void
}

/**
 * Documents whose names lead inside: the time of the refusal must not tell what listens there. Only the fetch can tell;
 * what lies before it judges names and counts, and after a few requests would refuse the rest of the samples.
 */
export async function insidePair(): Promise<InsidePair> {
  answerForStrangers()
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const fetchDocument = safeFetch({ issuer: 'https://grantkit.dev', ports: [port] })
  const refused = (name: string) => () => {
    const signal = new AbortController().signal
    const request = { accept: 'application/json', maxBytes: 5120, headers: {}, signal }
    return fetchDocument(`https://${name}:${port}/client.json`, request).then(unexpected, () => {})
  }
  return {
    pair: {
      name: 'document: a program inside that listens, or an unreachable host',
      samples: SAMPLES,
      first: refused('busy.dev'),
      second: refused('empty.dev'),
    },
    close: () => void server.close(),
  }
}

/** The name servers of strangers say what strangers like; the way to them would be the noise of the network. */
function answerForStrangers(): void {
  const answer = async (name: string) => [ADDRESSES[name] ?? '']
  Object.assign(dns.Resolver.prototype, { resolve4: answer, resolve6: async () => [] })
}

function unexpected(): never {
  throw new Error('An address inside was asked for a document')
}
