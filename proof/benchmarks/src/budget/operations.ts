import type { HttpRequest } from '@grantkit/core'
import { Client, TOKEN } from '../../grantkit/client.ts'
import { openService } from '../../grantkit/service.ts'
import { authorizationRequest, codeForm, FORM, SUBJECT } from '../requests.ts'

const ISSUER = 'http://127.0.0.1:4000'

/** One call, ready to be made: what it needs is prepared before the clock runs. */
export type Call = () => Promise<unknown>

/** Makes calls of one kind, each with a request of its own where a request is good for one answer. */
export type Operation = (count: number) => Promise<readonly Call[]>

/** What an operator pays for, without HTTP: the routes and the guard as an adapter calls them, on the memory store. */
export async function operations(): Promise<Readonly<Record<string, Operation>>> {
  const { server, api } = await openService(ISSUER)
  const client = await Client.register(server)
  const { clientId } = client
  const metadata = { clientName: 'Notes', redirectUris: [], resourceServer: true }
  const { clientId: client_id, clientSecret: client_secret = '' } = await server.clients.add(metadata)

  const route = (method: string, path: string) => {
    const found = server.routes.find((candidate) => candidate.path === path)
    if (found === undefined) throw new Error(`There is no ${path}`)
    return async (request: Partial<HttpRequest>) => {
      const answer = await found.handle({ method, path, query: '', headers: {}, body: '', ...request })
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.body}`)
    }
  }
  const form = (
    handle: (request: Partial<HttpRequest>) => Promise<void>,
    parameters: Record<string, string>,
  ) => {
    const body = String(new URLSearchParams(parameters))
    return () => handle({ headers: { ...FORM, accept: '*/*', host: '127.0.0.1:4000' }, body })
  }
  const token = route('POST', TOKEN)
  const introspect = route('POST', '/api/oauth/introspect')
  const authorize = route('GET', '/oauth/authorize')

  return {
    refresh: each(async () => {
      const { refresh_token } = await client.tokens()
      return form(token, { grant_type: 'refresh_token', client_id: clientId, refresh_token })
    }),
    code: each(async () => form(token, codeForm(clientId, await client.code()))),
    introspection: inTurn(async () => {
      const { access_token } = await client.tokens()
      return form(introspect, { client_id, client_secret, token: access_token })
    }),
    guard: inTurn(async () => {
      const { access_token } = await client.tokens()
      const headers = { accept: '*/*', host: '127.0.0.1:4000', authorization: `Bearer ${access_token}` }
      const request = { method: 'GET', path: '/notes', query: '', headers, body: '' }
      return async () => {
        const access = await api.access(request, 'notes:read')
        if (access.kind !== 'authorized') throw new Error(`The guard answered ${JSON.stringify(access)}`)
      }
    }),
    authorize: inTurn(async () => {
      const query = String(new URLSearchParams(authorizationRequest(clientId)))
      const headers = { accept: 'text/html', host: '127.0.0.1:4000', cookie: `user=${SUBJECT}` }
      return () => authorize({ query, headers })
    }),
  }
}

/** Makes them one by one: many at once would keep many sign-ins in memory. */
function each(make: () => Promise<Call>): Operation {
  return async (count) => {
    const made: Call[] = []
    while (made.length < count) made.push(await make())
    return made
  }
}

const DIFFERENT = 100

/** A hundred different calls, again and again. */
function inTurn(make: () => Promise<Call>): Operation {
  let made: readonly Call[] | undefined
  return async (count) => {
    made ??= await each(make)(DIFFERENT)
    return Array.from({ length: count }, (_, index) => made?.[index % DIFFERENT] as Call)
  }
}
