import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy in front of the service, which can hand out ID tokens that were made for another client. */
export interface SpoilingProxy {
  readonly url: string
  spoils: boolean
  close(): Promise<void>
}

/** @param port where the service listens */
export async function startFaultyProxy(port: number): Promise<SpoilingProxy> {
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    const onward = httpRequest({ host: '127.0.0.1', port, method, path: url, headers }, async (answer) => {
      const body = await textOf(answer)
      const spoilt = proxy.spoils && url === '/api/oauth/token' ? forAnother(body) : body
      const { 'content-length': _length, 'transfer-encoding': _encoding, ...rest } = answer.headers
      response.writeHead(answer.statusCode ?? 500, rest).end(spoilt)
    })
    request.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: SpoilingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spoils: false,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}

async function textOf(message: IncomingMessage): Promise<string> {
  return (await message.setEncoding('utf8').toArray()).join('')
}

function forAnother(body: string): string {
  const { id_token, ...rest } = JSON.parse(body)
  const [header, payload, signature] = id_token.split('.')
  const claims = { ...JSON.parse(String(Buffer.from(payload, 'base64url'))), aud: 'another client' }
  const changed = Buffer.from(JSON.stringify(claims)).toString('base64url')
  return JSON.stringify({ ...rest, id_token: `${header}.${changed}.${signature}` })
}
