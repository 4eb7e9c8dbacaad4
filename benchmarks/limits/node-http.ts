import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../src/listen.ts'
import type { StartTarget } from '../src/target.ts'
import { descriptionFor, HEADERS, limitTarget, notesFor, REGISTRATION, tokensFor } from './answers.ts'

export const start: StartTarget = async (port) => {
  const server = createServer(async (request, response) => {
    const body = JSON.stringify(await answer(request))
    const given = request.url === '/notes' ? { 'content-type': HEADERS['content-type'] } : HEADERS
    const headers = { ...given, 'content-length': Buffer.byteLength(body) }
    response.writeHead(request.url === '/register' ? 201 : 200, headers).end(body)
  })
  await listen(server, port)
  return limitTarget
}

async function answer(request: IncomingMessage): Promise<object> {
  if (request.url === '/notes') return notesFor(request.headers.authorization)
  const body = await text(request)
  if (request.url === '/register') return { ...REGISTRATION, ...JSON.parse(body) }
  const form = new URLSearchParams(body)
  return request.url === '/token' ? tokensFor(form.get('grant_type')) : descriptionFor(form.get('token'))
}
