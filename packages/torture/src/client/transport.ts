import * as http from 'node:http'
import * as https from 'node:https'
import type { LookupFunction } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Budget, OutOfBudget } from './budget.ts'
import { HostRefused, type PinnedHost } from './hosts.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

/** A request that left, with its answer or without one. Times are milliseconds of the monotonic clock. */
export interface Delivery {
  readonly invoked: number
  readonly returned: number
  readonly answer?: HttpAnswer | undefined
  readonly torn?: true | undefined
}

/** A request whose last byte is held back. */
export interface HeldRequest {
  /** @param tearAfter destroys the socket so many milliseconds later */
  release(tearAfter?: number): Promise<Delivery>
}

export interface TransportOptions {
  readonly issuer: string
  readonly gate: (url: URL) => Promise<PinnedHost>
  readonly budget: Budget
  /** Default: 10 seconds, in milliseconds. */
  readonly timeoutMs?: number | undefined
}

const MAX_BODY = 1024 * 1024
const USER_AGENT = 'grantkit-torture (races the token endpoint; a test of its operator)'

/** HTTP/1.1 over connections that stay open. Follows no redirect, and connects only to pinned addresses. */
export class Transport {
  readonly #options: TransportOptions
  readonly #agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  }

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /** Sends one request at the rate of the run. */
  async send(request: HttpRequest, replica?: string): Promise<Delivery> {
    await this.#options.budget.take()
    return (await this.hold(request, replica)).release()
  }

  /** Sends all but the last byte. The caller counts it in the budget. */
  async hold(request: HttpRequest, replica?: string): Promise<HeldRequest> {
    const target = await this.#target(request.url, replica)
    const body = Buffer.from(request.body ?? '')
    const headers = { ...request.headers, 'user-agent': USER_AGENT, ...target.headers }
    if (request.method === 'POST') Object.assign(headers, { 'content-length': body.length })
    const sent = target.module.request({ ...target.options, method: request.method, headers })
    const answered = answerOf(sent, this.#options.timeoutMs ?? 10_000)
    if (body.length > 1) await written(sent, body.subarray(0, -1))
    else await connected(sent)
    return {
      release: (tearAfter) => this.#release(sent, answered, body.subarray(-1), tearAfter),
    }
  }

  /** @throws HostRefused */
  async #target(address: string, replica: string | undefined) {
    const url = new URL(address)
    const isIssuer = url.origin === new URL(this.#options.issuer).origin
    const base = replica !== undefined && isIssuer ? new URL(replica) : url
    const pinned = await this.#options.gate(base)
    const protocol = base.protocol === 'https:' ? 'https:' : 'http:'
    return {
      module: protocol === 'https:' ? https : http,
      headers: { host: url.host },
      options: {
        ...{ agent: this.#agents[protocol], protocol, host: base.hostname, port: base.port || undefined },
        ...{ path: `${url.pathname}${url.search}`, lookup: pinnedLookup(pinned) },
        ...(protocol === 'https:' && { servername: url.hostname }),
      },
    }
  }

  async #release(
    sent: http.ClientRequest,
    answered: Promise<HttpAnswer | undefined>,
    lastByte: Buffer,
    tearAfter: number | undefined,
  ): Promise<Delivery> {
    const invoked = performance.now()
    if (lastByte.length > 0) sent.end(lastByte)
    else sent.end()
    if (tearAfter !== undefined) {
      // A tick, so that the byte is on its way.
      await delay(tearAfter)
      sent.destroy()
      await answered
      return { invoked, returned: performance.now(), torn: true }
    }
    const answer = await answered
    if (answer?.status === 429 || answer?.status === 503)
      this.#options.budget.pause(answer.headers['retry-after'])
    return { invoked, returned: performance.now(), answer }
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }
}

/** No answer is a result of a race, so it does not reject. */
async function answerOf(sent: http.ClientRequest, timeoutMs: number): Promise<HttpAnswer | undefined> {
  const timer = setTimeout(() => sent.destroy(), timeoutMs)
  try {
    return await new Promise<HttpAnswer | undefined>((resolve, reject) => {
      sent.once('error', reject)
      sent.once('close', () => resolve(undefined))
      sent.once('response', (response) => resolve(read(response)))
    })
  } catch (error) {
    if (error instanceof HostRefused || error instanceof OutOfBudget) throw error
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

async function read(response: http.IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > MAX_BODY) throw new Error('The answer is longer than 1 MiB')
    chunks.push(chunk)
  }
  const { statusCode = 0, headers } = response
  return { status: statusCode, headers, body: String(Buffer.concat(chunks)) }
}

function written(sent: http.ClientRequest, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    sent.once('close', () => resolve())
    sent.write(bytes, () => resolve())
  })
}

/** A request without a body leaves as a whole, so its connection has to be there before. */
function connected(sent: http.ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    sent.once('close', () => resolve())
    sent.once('socket', (socket) => {
      if (!socket.connecting) return resolve()
      socket.once('secureConnect', () => resolve())
      if (!('encrypted' in socket)) socket.once('connect', () => resolve())
    })
  })
}

function pinnedLookup({ address, family }: PinnedHost): LookupFunction {
  return (_host, options, callback) =>
    options.all ? callback(null, [{ address, family }]) : callback(null, address, family)
}
