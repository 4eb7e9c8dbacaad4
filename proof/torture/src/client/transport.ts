import * as http from 'node:http'
import * as https from 'node:https'
import type { LookupFunction } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Budget } from './budget.ts'
import { dpopProof, type Possession } from './dpop-proof.ts'
import type { PinnedHost } from './hosts.ts'
import { answerOf, demandsNonce, type HttpAnswer } from './http-answer.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
  /** Adds a DPoP proof. */
  readonly possession?: Possession | undefined
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

const USER_AGENT = 'grantkit-torture (races the token endpoint; a test of its operator)'

/** HTTP/1.1 over connections that stay open. Follows no redirect, and connects only to pinned addresses. */
export class Transport {
  readonly #options: TransportOptions
  readonly #agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  }
  /** The last one that each server demanded, by its origin (RFC 9449 section 8). */
  readonly #nonces = new Map<string, string>()

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /** Sends one request at the rate of the run, and once more if the server demands a nonce that is new to the kit. */
  async send(request: HttpRequest, replica?: string): Promise<Delivery> {
    const nonce = this.#nonceFor(request)
    const delivery = await this.#sendOnce(request, replica)
    const isDemanded = demandsNonce(delivery.answer) && this.#nonceFor(request) !== nonce
    return isDemanded ? this.#sendOnce(request, replica) : delivery
  }

  async #sendOnce(request: HttpRequest, replica: string | undefined): Promise<Delivery> {
    await this.#options.budget.take()
    return (await this.hold(request, replica)).release()
  }

  #nonceFor({ url }: HttpRequest): string | undefined {
    return this.#nonces.get(new URL(url).origin)
  }

  /** Sends all but the last byte. The caller counts it in the budget. */
  async hold(request: HttpRequest, replica?: string): Promise<HeldRequest> {
    const target = await this.#target(request.url, replica)
    const body = Buffer.from(request.body ?? '')
    const headers = { ...request.headers, 'user-agent': USER_AGENT, ...target.headers }
    if (request.possession !== undefined)
      Object.assign(headers, { dpop: dpopProof(request.possession, request, this.#nonceFor(request)) })
    if (request.method === 'POST') Object.assign(headers, { 'content-length': body.length })
    const sent = target.module.request({ ...target.options, method: request.method, headers })
    const answered = this.#answerTo(request, sent)
    if (body.length > 1) await written(sent, body.subarray(0, -1))
    else await connected(sent)
    return {
      release: (tearAfter) => this.#release(sent, answered, body.subarray(-1), tearAfter),
    }
  }

  async #answerTo({ url }: HttpRequest, sent: http.ClientRequest): Promise<HttpAnswer | undefined> {
    const answer = await answerOf(sent, this.#options.timeoutMs ?? 10_000)
    const nonce = answer?.headers['dpop-nonce']
    if (typeof nonce === 'string') this.#nonces.set(new URL(url).origin, nonce)
    return answer
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
