import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const PATIENCE_MS = 5 * 60 * 1000

/** Waits at a loopback address for the redirect of the browser (RFC 8252 7.3). */
export interface LoopbackListener {
  readonly redirectUri: string
  /** The callback URL that the browser requested. */
  readonly callback: Promise<URL>
  close(): void
}

export async function listenOnLoopback(): Promise<LoopbackListener> {
  const { promise: callback, resolve, reject } = Promise.withResolvers<URL>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', redirectUri())
    const returned = url.pathname === '/callback'
    response.writeHead(returned ? 200 : 404, {
      'content-type': 'text/plain; charset=utf-8',
      connection: 'close',
    })
    response.end(
      returned ? 'Thank you. You can close this window and go back to the terminal.\n' : 'Not here.\n',
    )
    if (returned) resolve(url)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const redirectUri = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
  const timer = setTimeout(
    () => reject(new Error('the browser did not return within five minutes')),
    PATIENCE_MS,
  )
  return {
    redirectUri: redirectUri(),
    callback: callback.finally(() => clearTimeout(timer)),
    close() {
      clearTimeout(timer)
      server.close()
    },
  }
}
