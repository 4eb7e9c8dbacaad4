import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { html, pages } from '@grantkit/pages'
import { BRAND } from '../brand.ts'

const PATIENCE_MS = 5 * 60 * 1000

const ui = pages({ brand: BRAND })
const RETURNED = ui.page({
  title: 'Thank you',
  main: html`<h1>Thank you</h1><p>You can close this window and go back to the terminal.</p>`,
})
const NOT_HERE = ui.page({ title: 'Not here', main: html`<h1>Not here</h1>`, status: 404 })

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
    const { status, headers, body } = returned ? RETURNED : NOT_HERE
    response.writeHead(status, { ...headers, connection: 'close' }).end(body)
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
