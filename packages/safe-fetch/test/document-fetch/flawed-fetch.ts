import { promises as dns } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import { BlockList, isIP } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type {
  DocumentFetch,
  DocumentFetchFault,
  DocumentFetchResponse,
} from '@grantkit/core/client-documents'

/** What people got wrong in fetches that were to be safe. */
export interface Flaws {
  readonly redirects?: 'followed'
  readonly addresses?: 'unchecked' | 'checked, then looked up again' | 'one checked'
  readonly time?: 'idle'
  readonly certificates?: 'unverified'
  readonly size?: 'unlimited' | 'as sent'
  readonly connections?: 'kept'
}

const inside = new BlockList()
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.168.0.0', 16],
] as const)
  inside.addSubnet(network, prefix)

/** The usual fetch on `node:https`, with some flaws. */
export function flawedFetch(flaws: Flaws, { ca, deadline }: { ca: string; deadline: number }): DocumentFetch {
  const agent = new Agent({ keepAlive: true })
  const fetchDocument: DocumentFetch = async (address, asked): Promise<DocumentFetchResponse> => {
    const url = new URL(address)
    const options: RequestOptions = {
      ...(await target(url.hostname, flaws)),
      path: url.pathname + url.search,
      servername: url.hostname,
      headers: { ...asked.headers, host: url.host, accept: asked.accept, 'accept-encoding': 'identity' },
      rejectUnauthorized: flaws.certificates !== 'unverified',
      agent: flaws.connections === 'kept' ? agent : false,
      signal: asked.signal,
      timeout: deadline,
      ca,
    }
    const answer = await answerTo(options)
    const { location } = answer.headers
    if (flaws.redirects === 'followed' && location !== undefined) return fetchDocument(location, asked)
    const body = await bodyOf(answer, flaws.size === 'unlimited' ? Number.POSITIVE_INFINITY : asked.maxBytes)
    const isEncoded = answer.headers['content-encoding'] !== undefined
    if (isEncoded && flaws.size !== 'as sent') throw failure('encoding')
    const decoded = isEncoded ? gunzipSync(body) : body
    return {
      status: answer.statusCode ?? 0,
      headers: answer.headers as Record<string, string>,
      body: decoded.toString(),
    }
  }
  return (address, asked) => {
    const end = AbortSignal.timeout(flaws.time === 'idle' ? 60_000 : deadline)
    const signal = AbortSignal.any([asked.signal, end])
    return fetchDocument(address, { ...asked, signal }).catch((error) => {
      throw failure(end.aborted ? 'timeout' : faultOf(error))
    })
  }
}

function faultOf({ code = '' }: NodeJS.ErrnoException): DocumentFetchFault {
  if (/CERT|ALTNAME|SSL/.test(code)) return 'tls'
  return code.startsWith('E') ? 'connect' : (code as DocumentFetchFault)
}

async function target(name: string, { addresses }: Flaws): Promise<RequestOptions> {
  if (addresses === 'unchecked') return { host: name }
  const found = await dns.lookup(name, { all: true })
  const judged = addresses === 'one checked' ? found.slice(0, 1) : found
  if (judged.some(({ address }) => isIP(address) !== 4 || inside.check(address))) throw failure('address')
  return { host: addresses === 'checked, then looked up again' ? name : (found[0]?.address ?? '') }
}

function answerTo(options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(options, resolve)
    sent.on('timeout', () => sent.destroy())
    sent.on('error', reject)
    sent.end()
  })
}

async function bodyOf(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer) {
    length += chunk.length
    if (length > maxBytes) throw failure('size')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function failure(code: DocumentFetchFault): Error {
  return Object.assign(new Error(code), { code })
}
