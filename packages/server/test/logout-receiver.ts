import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { certificateAuthority } from '@grantkit/test-servers/certificate-authority'
import { decodeJwt, type JWTPayload } from 'jose'

/** The host of a client, which receives logout tokens over https. */
export interface LogoutReceiver {
  readonly uri: string
  /** The claims of the received tokens, in order. */
  readonly received: JWTPayload[]
  /** The status of the answer. */
  answer: () => number
  /** The settings by which a service sends to this host. */
  readonly settings: Record<string, string>
  close(): Promise<void>
}

const NAME = 'app.dev'

/** @param listener answers in its place */
export async function openLogoutReceiver(listener?: RequestListener): Promise<LogoutReceiver> {
  const authority = certificateAuthority()
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-logout-'))
  const CIMD_TEST_CA = join(folder, 'ca.pem')
  await writeFile(CIMD_TEST_CA, authority.ca)
  const received: JWTPayload[] = []
  const server = createServer(authority.issue(NAME), async (request, response) => {
    if (listener !== undefined) return listener(request, response)
    const body = new URLSearchParams(String(Buffer.concat(await request.toArray())))
    received.push(decodeJwt(body.get('logout_token') ?? ''))
    response.writeHead(receiver.answer()).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const receiver: LogoutReceiver = {
    uri: `https://${NAME}/backchannel-logout`,
    received,
    answer: () => 200,
    settings: {
      BACK_CHANNEL_LOGOUT: 'on',
      LOGOUT: 'on',
      CIMD_TEST_CA,
      CIMD_TEST_RESOLVE: `${NAME}=127.0.0.1:${port}`,
    },
    async close() {
      server.closeAllConnections()
      await once(server.close(), 'close')
      await rm(folder, { recursive: true })
    },
  }
  return receiver
}
