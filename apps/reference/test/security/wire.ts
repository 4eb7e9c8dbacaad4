import { connect } from 'node:net'
import type { HttpResponse } from '@grantkit/core'

export type HeaderLines = readonly (readonly [name: string, value: string])[]

/** A request as it goes over the wire, without additions or corrections. */
export interface WireRequest {
  readonly method?: string
  readonly headers?: HeaderLines
  readonly body?: string | Uint8Array
}

/** The raw answer. */
export class Answer implements HttpResponse {
  readonly status: number
  readonly lines: HeaderLines
  readonly body: string
  /** The connection ended before the body did. */
  readonly broken: boolean

  /** @param bodyless the answer to HEAD: later bytes do not belong to it */
  constructor(wire: Buffer, bodyless = false) {
    const [head, rest] = splitHead(wire)
    const [statusLine = '', ...lines] = head.split('\r\n')
    this.status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1])
    this.lines = lines.map((line) => {
      const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/.exec(line) ?? []
      return [name.toLowerCase(), value]
    })
    const chunked = this.header('transfer-encoding') === 'chunked'
    const length = bodyless ? 0 : Number(this.header('content-length') ?? rest.length)
    this.broken = chunked ? !rest.includes('0\r\n\r\n') : length > rest.length
    this.body = (chunked ? unchunked(rest) : rest.subarray(0, length)).toString()
  }

  /** One value per name, for simple uses. */
  get headers(): Record<string, string> {
    return Object.fromEntries(this.lines)
  }

  /** The values of a header, joined; `undefined` when it was not sent. */
  header(name: string): string | undefined {
    const values = this.lines.filter(([own]) => own === name).map(([, value]) => value)
    return values.length === 0 ? undefined : values.join(', ')
  }

  /** The JSON object in the body. @throws SyntaxError when it is none */
  json(): Record<string, unknown> {
    return JSON.parse(this.body) as Record<string, unknown>
  }

  /** The query parameters of its redirect; none if there is no redirect. */
  redirected(): URLSearchParams {
    return new URLSearchParams(this.header('location')?.split('?').slice(1).join('?') ?? '')
  }
}

/** Sends a request with `Host`, `Content-Length` and `Connection: close`; the headers of the caller override these. */
export function send(port: number, target: string, request: WireRequest = {}): Promise<Answer> {
  const { method = 'GET', headers = [], body } = request
  const own = new Set(headers.map(([name]) => name.toLowerCase()))
  const framing: HeaderLines = [
    ['Host', `127.0.0.1:${port}`],
    ['Connection', 'close'],
    ...(body === undefined ? [] : [['Content-Length', String(Buffer.byteLength(body))] as const]),
  ]
  const lines = [...framing.filter(([name]) => !own.has(name.toLowerCase())), ...headers]
  const head = [`${method} ${target} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)]
  return exchange(port, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body ?? '')]))
}

/** Less than a test may take, so that silence fails with the request that got no answer. */
const PATIENCE_MS = 50_000

interface ExchangeOptions {
  /** Ends the request after this many milliseconds, so that no server waits for more. */
  readonly endAfter?: number
}

/** Sends bytes and returns the first answer to them. @throws Error when there is none */
export function exchange(
  port: number,
  bytes: string | Uint8Array,
  { endAfter }: ExchangeOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: endAfter !== undefined })
    const ending = endAfter === undefined ? undefined : setTimeout(() => socket.end(), endAfter)
    const sent = Buffer.from(bytes).toString().slice(0, 300)
    let wire: Buffer = Buffer.alloc(0)
    const finish = () => {
      clearTimeout(ending)
      socket.destroy()
      if (wire.includes('\r\n\r\n')) resolve(new Answer(wire, /^\s*HEAD /.test(sent)))
      else reject(new Error(`No answer to ${JSON.stringify(sent)}`))
    }
    socket.setTimeout(PATIENCE_MS, finish)
    socket.on('data', (chunk) => {
      wire = withoutInterim(Buffer.concat([wire, chunk]))
      if (isComplete(wire)) finish()
    })
    // A server that refuses a body may close the connection during the upload; its answer counts.
    socket
      .on('error', () => {})
      .on('end', () => socket.end())
      .on('close', finish)
    socket.write(bytes)
  })
}

function withoutInterim(wire: Buffer): Buffer {
  const interim = /^HTTP\/1\.1 1\d\d .*?\r\n\r\n/s.exec(wire.toString('latin1'))
  return interim === null ? wire : wire.subarray(interim[0].length)
}

/** True if the framing says so; any other answer ends with its connection. */
function isComplete(wire: Buffer): boolean {
  if (!wire.includes('\r\n\r\n')) return false
  const [head, rest] = splitHead(wire)
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return rest.toString('latin1').endsWith('0\r\n\r\n')
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  return length !== undefined && rest.length >= Number(length) && rest.length > 0
}

function splitHead(wire: Buffer): [head: string, rest: Buffer] {
  const end = wire.indexOf('\r\n\r\n')
  return [wire.subarray(0, end).toString('latin1'), wire.subarray(end + 4)]
}

function unchunked(wire: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < wire.length; ) {
    const end = wire.indexOf('\r\n', at)
    const size = Number.parseInt(wire.subarray(at, end).toString(), 16)
    if (!(size > 0)) break
    parts.push(wire.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
  return Buffer.concat(parts)
}
