import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendByFetch, unreachableReason } from './send-by-fetch.ts'

const MIB = 1024 * 1024
const ANSWERS: Readonly<Record<string, RequestListener>> = {
  '/headers': ({ headers }, response) => void response.end(JSON.stringify(headers)),
  '/full': (_, response) => void response.end('x'.repeat(MIB)),
  '/long': (_, response) => void response.end('x'.repeat(MIB + 1)),
  '/endless': (_, response) => {
    const more = () => void response.write('x'.repeat(64 * 1024), (error) => error ?? more())
    more()
  },
  '/packed': (_, response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(4 * MIB))),
  '/moved': (_, response) => void response.writeHead(302, { location: '/headers' }).end(),
}

const server = createServer((request, response) => ANSWERS[request.url ?? '']?.(request, response))
let origin: string
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close().closeAllConnections())
const get = (path: string) => sendByFetch({ method: 'GET', url: origin + path })

describe('sendByFetch', () => {
  it('asks for an answer without a content encoding', async () => {
    expect(JSON.parse((await get('/headers')).body)).toMatchObject({ 'accept-encoding': 'identity' })
  })

  it('reads 1 MiB, and follows no redirect', async () => {
    expect((await get('/full')).body).toHaveLength(MIB)
    expect(await get('/moved')).toMatchObject({ status: 302, headers: { location: '/headers' } })
  })

  it.each([
    ['/long', 'longer than 1 MiB'],
    ['/endless', 'longer than 1 MiB'],
    ['/packed', 'encoded as gzip'],
  ])('rejects the answer of %s: it is %s', async (path, reason) => {
    await expect(get(path)).rejects.toThrow(reason)
  })

  it.each(['/endless', '/packed'])('finds that something answers at %s, without reading it', async (path) => {
    expect(await unreachableReason(origin + path)).toBeUndefined()
  })
})
