import { createServer } from 'node:net'
import { listen } from '../src/listen.ts'
import { codeWork, protectedWork } from '../src/requests.ts'
import type { StartTarget } from '../src/target.ts'
import { HEADERS, TOKENS } from './answers.ts'

const body = JSON.stringify(TOKENS)
const headers = { ...HEADERS, 'content-length': String(Buffer.byteLength(body)) }
const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
const ANSWER = Buffer.from(['HTTP/1.1 200 OK', ...lines, '', body].join('\r\n'))

/** Parses nothing and always answers the same bytes: the speed of the generator itself. */
export const start: StartTarget = async (port) => {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    // A request of the benchmark is one small write, so one chunk is one request.
    socket.on('data', () => socket.write(ANSWER))
  })
  await listen(server, port)
  return {
    work: {
      code: codeWork('/token', 'client', () => 'code'),
      protected: protectedWork('/notes', () => TOKENS.access_token),
    },
  }
}
