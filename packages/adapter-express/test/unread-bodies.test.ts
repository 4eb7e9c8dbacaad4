import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import express, { type Request, type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { authorizationServer } from '../src/index.ts'
import { FORM, listen, post, recording } from './application.ts'

async function mountBehind(...before: RequestHandler[]) {
  const route = recording()
  const app = express().use(...before, authorizationServer({ routes: [route] }))
  return { url: `${await listen(app)}/echo`, bodies: route.bodies }
}

async function openSocket(url: string, head: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  // A server that refuses may close the connection during the upload.
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`POST /echo HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`)
  return socket
}

/** Goes on when it has looked at the request. */
const after: (look: (req: Request) => Promise<unknown>) => RequestHandler = (look) => (req, _res, next) =>
  void look(req).then(() => next())

describe('authorizationServer before the parsers', () => {
  it.each<[string, RequestHandler]>([
    ['has not read', (req, _res, next) => next(void Object.assign(req, { body: {} }))],
    ['waits for the whole request', after((req) => expect.poll(() => req.complete).toBe(true))],
    ['listens as well', (req, _res, next) => next(void req.on('data', () => {}))],
    ['wants text', (req, _res, next) => next(void req.setEncoding('utf8'))],
    ['wants hexadecimal', (req, _res, next) => next(void req.setEncoding('hex'))],
  ])('reads the wire behind a middleware that %s', async (_, before) => {
    const { url, bodies } = await mountBehind(before)
    await post(url, FORM, 'a=€')
    expect(bodies).toEqual(['a=€'])
  })

  it.each(['utf8', 'hex'] as const)('counts bytes behind a middleware that wants %s', async (encoding) => {
    const { url, bodies } = await mountBehind((req, _res, next) => next(void req.setEncoding(encoding)))
    const inChunks = async (text: string) => {
      const request = { method: 'POST', body: new Blob([text]).stream(), duplex: 'half' } as const
      return (await fetch(url, request)).status
    }
    const most = `${'€'.repeat(21_845)}x`
    expect([await inChunks(most), await inChunks(`${most}x`)]).toEqual([200, 413])
    expect(bodies).toEqual([most])
  })

  it.each([
    ['is announced', 'Content-Length: 1000000000'],
    ['has no end', 'Transfer-Encoding: chunked'],
  ])('does not wait for the end of a body that is too large: it %s', async (_, head) => {
    const { url, bodies } = await mountBehind()
    const socket = await openSocket(url, head)
    if (head.startsWith('Transfer')) socket.write(`${(65_537).toString(16)}\r\n${'x'.repeat(65_537)}\r\n`)
    expect(await text(socket), 'and hangs up').toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i)
    expect(bodies).toEqual([])
  })

  it('leaves the refused request intact for loggers', async () => {
    const addresses: unknown[] = []
    const { url } = await mountBehind((req, res, next) => {
      res.on('finish', () => addresses.push(req.ip))
      next()
    })
    await post(url, FORM, 'x'.repeat(65_537))
    const socket = await openSocket(url, 'Transfer-Encoding: chunked')
    socket.write(`${(65_537).toString(16)}\r\n${'x'.repeat(65_537)}\r\n`)
    await text(socket)
    expect(addresses).toEqual(['127.0.0.1', '127.0.0.1'])
  })

  it('joins a character that arrives in pieces', async () => {
    let arrived: Request | undefined
    const { url, bodies } = await mountBehind((req, _res, next) => {
      arrived = req
      next()
    })
    const socket = await openSocket(url, 'Content-Length: 5\r\nConnection: close')
    const [start, rest] = [Buffer.from('a=€').subarray(0, 3), Buffer.from('a=€').subarray(3)]
    socket.write(start)
    await expect.poll(() => arrived?.socket.bytesRead).toBe(socket.bytesWritten)
    socket.write(rest)
    await text(socket)
    expect(bodies).toEqual(['a=€'])
  })

  it('calls no route when the client disconnects first', async () => {
    const gone = Promise.withResolvers<void>()
    const { url, bodies } = await mountBehind(
      after(async ({ headers, socket }) => {
        if (headers['content-length'] !== '100') return
        await new Promise((resolve) => socket.once('close', resolve))
        gone.resolve()
      }),
    )
    const socket = await openSocket(url, 'Content-Length: 100')
    socket.write('half', () => socket.destroy())
    await gone.promise
    await post(url, FORM, 'a=1')
    expect(bodies).toEqual(['a=1'])
  })
})
