import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Fault, VictimOptions } from './faults.ts'
import { unspent } from './grant.ts'
import { type Answer, DEVICE_CODE, EXCHANGE, type Question, Replica } from './replica.ts'
import { SlowStore } from './store.ts'

export interface Victim {
  readonly issuer: string
  /** The base URLs of both replicas. */
  readonly replicas: readonly string[]
  /** Ends a replica and starts it again: what it had only in memory is gone. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** Clients by id, with the secret of those that have one. */
const CLIENTS: Readonly<Record<string, string>> = { app: '', web: 'secret' }

/** A correct authorization server with two replicas on one store, or one with a fault. */
export async function startVictim(options: VictimOptions = {}): Promise<Victim> {
  const { variant = 'same-pair', fault, codeSeconds = 120, accessSeconds = 300 } = options
  const broken = (each: Fault) => each === fault
  const rules = { variant, broken, accessMs: accessSeconds * 1000, codeMs: codeSeconds * 1000 }
  const store = new SlowStore()
  const listening: Server[] = []
  const bases: string[] = []
  const start = async (at: number, port: number) => {
    const ahead = broken(13) && at === 1 ? 90_000 : 0
    const each = new Replica(store, rules, () => Date.now() + ahead)
    const server = createServer(async (message, response) =>
      write(response, ...(await respond(each, bases[0] ?? '', message))),
    )
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    listening[at] = server
    bases[at] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  for (const at of [0, 1]) await start(at, 0)
  return {
    issuer: bases[0] ?? '',
    replicas: bases,
    async restart() {
      const port = Number(new URL(bases[0] ?? '').port)
      await closed(listening[0])
      if (broken(5)) store.changeAll(unspent)
      await start(0, port)
    },
    close: async () => void (await Promise.all(listening.map(closed))),
  }
}

function closed(server: Server | undefined): Promise<void> {
  return new Promise((resolve) => {
    server?.close(() => resolve())
    server?.closeAllConnections()
  })
}

async function respond(replica: Replica, issuer: string, message: IncomingMessage): Promise<[Answer, Date]> {
  const url = new URL(message.url ?? '', issuer)
  if (url.pathname.startsWith('/.well-known/')) return [{ status: 200, body: metadata(issuer) }, new Date()]
  const body = new URLSearchParams(await text(message))
  const form = Object.fromEntries([...url.searchParams, ...body])
  const answer = replica.answer(questionOf(url.pathname, form, message))
  return [
    await answer.catch(() => ({ status: 500, body: { error: 'server_error' } })),
    new Date(replica.now()),
  ]
}

function write(response: ServerResponse, { status, body = {}, location }: Answer, date: Date): void {
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    date: date.toUTCString(),
  }
  response.writeHead(status, { ...headers, ...(location && { location }) })
  response.end(JSON.stringify(body))
}

function questionOf(path: string, form: Question['form'], { headers }: IncomingMessage): Question {
  const [scheme, credentials = ''] = (headers.authorization ?? '').split(' ')
  const basic = scheme === 'Basic' ? String(Buffer.from(credentials, 'base64')).split(':') : []
  const [id = form.client_id ?? '', secret = form.client_secret ?? ''] = basic
  const client = CLIENTS[id] === secret ? id : undefined
  const user = /user=(\w+)/.exec(headers.cookie ?? '')?.[1]
  return { path, form, client, user, bearer: scheme === 'Bearer' ? credentials : undefined }
}

function metadata(issuer: string): object {
  const names = { revocation: 'revoke', introspection: 'introspect', end_session: 'logout', token: 'token' }
  const more = {
    authorization: 'authorize',
    userinfo: 'userinfo',
    device_authorization: 'device_authorization',
  }
  const endpoints = Object.entries({ ...names, ...more })
  return {
    issuer,
    ...Object.fromEntries(endpoints.map(([name, path]) => [`${name}_endpoint`, `${issuer}/${path}`])),
    grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_CODE, EXCHANGE],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['openid', 'read', 'write', 'offline_access'],
  }
}
