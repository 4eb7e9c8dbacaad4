import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Sends a request with an unparsed path, and its body in the given pieces. */
export async function send(
  url: string,
  path: string,
  { method = 'GET', headers = {} as Record<string, string | string[]>, body = [] as readonly string[] } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(url)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = httpRequest({ hostname, port, path, method, headers, agent: false }, resolve)
    outgoing.on('error', reject)
    write(outgoing, body)
  })
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }
}

function write(outgoing: ClientRequest, pieces: readonly string[]): void {
  for (const piece of pieces) outgoing.write(piece)
  outgoing.end()
}
