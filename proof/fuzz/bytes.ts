import type { Framing, FuzzedRequest } from './mutations.ts'
import type { Pair } from './requests.ts'

/** The current credentials, by their placeholder names. */
export type Credentials = Readonly<Record<string, string>>

/** A request as bytes, with its credentials filled in. */
export function bytesOf(request: FuzzedRequest, credentials: Credentials, port: number): Buffer {
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (braced, name) => credentials[name] ?? braced)
  const pairs = (given: readonly Pair[]) =>
    joined(
      given.map(([name, value]) => [name, fill(value)]),
      request.encoded,
    )
  const query = request.query === undefined ? '' : `?${pairs(request.query)}`
  const body = Buffer.from(fill(request.text ?? '') + pairs(request.form ?? []))
  const headers = (request.headers ?? []).map(([name, value]): Pair => [name, fill(value)])
  const hasHost = headers.some(([name]) => name.toLowerCase() === 'host')
  const lines = [
    `${request.method} ${fill(request.path)}${query} HTTP/1.1`,
    ...(hasHost ? [] : [`Host: 127.0.0.1:${port}`]),
    'Connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...framed(request.framing, body),
  ]
  const sent = request.framing === 'chunked' || request.framing === 'both' ? chunked(body) : body
  return withNoise(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), sent]), request.noise)
}

function joined(pairs: readonly Pair[], encode: boolean): string {
  if (encode)
    return String(new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])))
  return pairs.map(([name, value]) => `${name}=${value}`).join('&')
}

function framed(framing: Framing, body: Buffer): string[] {
  const length = `Content-Length: ${body.length}`
  const lines: Record<Framing, string[]> = {
    length: body.length > 0 ? [length] : [],
    chunked: ['Transfer-Encoding: chunked'],
    both: [length, 'Transfer-Encoding: chunked'],
    short: [`Content-Length: ${Math.floor(body.length / 2)}`],
    long: [`Content-Length: ${body.length + 7}`],
    twice: [length, `Content-Length: ${body.length + 1}`],
    none: [],
  }
  return lines[framing]
}

function chunked(body: Buffer): Buffer {
  const size = Buffer.from(`${body.length.toString(16)}\r\n`)
  const end = Buffer.from(body.length > 0 ? '\r\n0\r\n\r\n' : '\r\n')
  return Buffer.concat([size, body, end])
}

function withNoise(bytes: Buffer, noise: FuzzedRequest['noise']): Buffer {
  return noise.reduce((before, { at, drop, put }) => {
    const place = Math.floor(at * before.length)
    return Buffer.concat([before.subarray(0, place), put, before.subarray(place + drop)])
  }, bytes)
}
