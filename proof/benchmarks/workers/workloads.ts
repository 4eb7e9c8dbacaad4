import { performance } from 'node:perf_hooks'
import { Connection } from '../src/connection.ts'
import { FORM, withHost } from '../src/requests.ts'
import type { Access } from './deployment.ts'

/** The next request of a connection, after the body of its last response. */
type Next = (lastBody: string | undefined) => string
/** The requests of one of the connections. */
export type Rate = (access: Access, connection: number) => Next

const CONNECTIONS = 32

/** Each connection refreshes one grant again and again, or introspects its current token. */
export const WORKLOADS: Readonly<Record<string, Rate>> = {
  refresh: ({ clientId: client_id, grants }, connection) => {
    const grant = grants[connection % grants.length]
    if (grant === undefined) throw new Error('There is no grant')
    return (lastBody) => {
      if (lastBody !== undefined) Object.assign(grant, JSON.parse(lastBody))
      const { refresh_token } = grant
      return post('/api/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token })
    }
  },
  introspection: ({ api, grants }, connection) => {
    const token = grants[connection % grants.length]?.access_token ?? ''
    return (lastBody) => {
      if (lastBody?.includes('"active":true') === false) throw new Error(`An inactive token: ${lastBody}`)
      return post('/api/oauth/introspect', { ...api, token })
    }
  },
}

function post(path: string, fields: Readonly<Record<string, string>>): string {
  const body = String(new URLSearchParams(fields))
  const headers = { ...FORM, 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`POST ${path} HTTP/1.1`, ...lines, '', body].join('\r\n')
}

/** Responses a second; each connection sends its next request after the response. @throws Error for another status than 200 */
export async function rateOf(port: number, seconds: number, workload: Rate, access: Access): Promise<number> {
  const failure = Promise.withResolvers<never>()
  const opening = Array.from({ length: CONNECTIONS }, () => Connection.open(port, failure.reject))
  const connections = await Promise.race([failure.promise, Promise.all(opening)])
  const start = performance.now()
  const end = start + seconds * 1000
  let answered = 0
  const loops = connections.map((connection, at) => {
    const next = workload(access, at)
    return new Promise<void>((resolve) => {
      const send = (lastBody?: string) => {
        // The last response has the next refresh token, so it is read first.
        const request = next(lastBody)
        if (performance.now() > end) return resolve()
        connection.send(Buffer.from(withHost(request, port)), (status, body) => {
          if (status !== 200) return failure.reject(new Error(`Answered ${status}: ${body}`))
          answered++
          send(body.toString())
        })
      }
      send()
    })
  })
  await Promise.race([failure.promise, Promise.all(loops)])
  for (const connection of connections) connection.close()
  return answered / ((performance.now() - start) / 1000)
}
