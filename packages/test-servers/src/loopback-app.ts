import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An app's small server on a loopback port, the target of redirects. */
export interface LoopbackApp {
  readonly origin: string
  close(): Promise<void>
}

/** @param content the bodies by path; other paths are empty pages */
export async function openLoopbackApp(
  content: Record<string, { type: string; body: string }> = {},
): Promise<LoopbackApp> {
  const server = createServer((request, response) => {
    const { type, body } = content[(request.url ?? '').split('?')[0] ?? ''] ?? {
      type: 'text/html',
      body: '<title>App</title>',
    }
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((closed) => server.close(() => closed()))
    },
  }
}
