import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readCommandLine, wholeNumber } from '@grantkit/reference/command-line'
import { user } from '@grantkit/reference/test/user'
import { freePort } from '@grantkit/test-servers/free-port'
import { testClient } from '@grantkit/testkit/client'

/** What usual clients notice while strangers send what costs the service most. */

const USAGE = `pnpm --dir proof hostile [--seconds <number>] [--main <path>]

  --seconds  how long each hostile load; 10 if left out
  --main     the program of the service, to compare another version; this one if left out`

const { values } = readCommandLine(USAGE, {
  options: { seconds: { type: 'string', default: '10' }, main: { type: 'string' } },
})
const seconds = wholeNumber(USAGE, '--seconds', values.seconds)
const SENDERS = 8
const USUAL_CLIENTS = 4
const PAUSE_MS = 10

const port = await freePort()
const HOST = `127.0.0.1:${port}`
const baseUrl = `http://${HOST}`
async function startService() {
  const usual = join(import.meta.dirname, '../../apps/reference/src/main.ts')
  const program = resolve(process.env.INIT_CWD ?? '', values.main ?? usual)
  const settings = { PORT: `${port}`, BASE_URL: baseUrl, LOG_LEVEL: 'silent', FRAMEWORK: 'fastify' }
  const child = spawn(process.execPath, [program], { env: { ...process.env, ...settings }, stdio: 'ignore' })
  for (;;) {
    if (child.exitCode !== null) throw new Error('The service did not start')
    if (await fetch(`${baseUrl}/readyz`).catch(() => undefined)) return child
    await sleep(50)
  }
}

/** A load runs until `over` says so. */
type Attack = (over: () => boolean) => Promise<void>

function loads(): Record<string, Attack> {
  const form = `POST /api/oauth/token HTTP/1.1\r\nHost: ${HOST}\r\nContent-Type: application/x-www-form-urlencoded\r\n`
  const names = Array.from({ length: 8000 }, (_, index) => `p${index}=`).join('&')
  const calls = Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))
  const batch = JSON.stringify(calls)
  const mcp = `POST /mcp HTTP/1.1\r\nHost: ${HOST}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n`
  const client = JSON.stringify({ redirect_uris: ['http://127.0.0.1/cb'] })
  const register = `POST /api/oauth/register HTTP/1.1\r\nHost: ${HOST}\r\nContent-Type: application/json\r\n`
  return {
    'nothing else': async () => {},
    'forms of 8,000 names': flood(withBody(form, names)),
    'MCP batches of a hundred': flood(withBody(mcp, batch)),
    'registrations, reset at once': flood(withBody(register, client), 'reset'),
    '400 bodies that never end': slowly(`${form}Content-Length: 60000\r\n\r\n`),
  }
}

function withBody(head: string, body: string): string {
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Sends one request after another, each on a connection and from an address of its own. */
function flood(request: string, end: 'answer' | 'reset' = 'answer'): Attack {
  return async (over) => {
    await Promise.all(
      Array.from({ length: SENDERS }, async (_, sender) => {
        for (let turn = 0; !over(); turn++) {
          const socket = await strangers(sender, turn)
          socket.write(request)
          if (end === 'answer') await Promise.race([once(socket, 'data'), once(socket, 'close')])
          else await sleep(1)
          socket.resetAndDestroy()
        }
      }),
    )
  }
}

function slowly(head: string): Attack {
  return async (over) => {
    const sockets = await Promise.all(Array.from({ length: 400 }, (_, turn) => strangers(1, turn)))
    for (const socket of sockets) socket.write(head)
    while (!over()) {
      for (const socket of sockets) if (socket.writable) socket.write('x')
      await sleep(100)
    }
    for (const socket of sockets) socket.destroy()
  }
}

async function strangers(sender: number, turn: number): Promise<Socket> {
  const localAddress = `127.${sender + 1}.${(turn >> 8) % 256}.${(turn % 254) + 1}`
  const socket = connect({ host: '127.0.0.1', port, localAddress })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** The figures of the usual clients during a load: how many requests, how many not served, p50 and p99. */
async function under(attack: Attack): Promise<string> {
  const until = Date.now() + seconds * 1000
  const over = () => Date.now() > until
  const times: number[] = []
  let refused = 0
  const client = async () => {
    const app = await testClient(baseUrl, { browser: user(baseUrl) })
    let { refresh_token } = await app.tokens('openid courses:read')
    while (!over()) {
      const begun = performance.now()
      const answer = await app.refresh(refresh_token)
      times.push(performance.now() - begun)
      if (answer.status === 200) refresh_token = String(answer.refresh_token)
      else refused++
      await sleep(PAUSE_MS)
    }
  }
  await Promise.all([attack(over), ...Array.from({ length: USUAL_CLIENTS }, client)])
  times.sort((one, other) => one - other)
  const at = (share: number) => (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(1)
  return `${times.length} refreshes, ${refused} refused, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

const service = await startService()
try {
  for (const [name, attack] of Object.entries(loads()))
    console.log(`${name.padEnd(48)} ${await under(attack)}`)
} finally {
  service.kill()
}
