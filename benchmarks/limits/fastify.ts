import fastify, { type FastifyInstance } from 'fastify'
import type { StartTarget } from '../src/target.ts'
import {
  descriptionFor,
  HEADERS,
  METADATA,
  METADATA_HEADERS,
  notesFor,
  PAGE_HEADERS,
  PENDING,
  REGISTRATION,
  REQUEST_URI,
  TICKET,
  TOOL_ANSWER,
  tokensFor,
  yardstickTarget,
} from './answers.ts'
import { idTokens } from './id-token.ts'

type Form = { Body: URLSearchParams }

export const start: StartTarget = async (port) => {
  const app = fastify()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_: unknown, body: string) => new URLSearchParams(body),
  )
  app.get('/notes', async (request) => notesFor(request.headers.authorization))
  app.post<Form>('/token', async (request, reply) => {
    reply.headers(HEADERS)
    return tokensFor(request.body.get('grant_type'))
  })
  for (const alg of ['RS256', 'ES256'] as const) {
    const idToken = await idTokens(alg)
    app.post<Form>(`/token/${alg}`, async (request, reply) => {
      reply.headers(HEADERS)
      return { ...tokensFor(request.body.get('grant_type')), id_token: await idToken() }
    })
  }
  app.post<Form>('/introspect', async (request, reply) => {
    reply.headers(HEADERS)
    return descriptionFor(request.body.get('token'))
  })
  app.post<{ Body: Record<string, unknown> }>('/register', async (request, reply) => {
    reply.code(201).headers(HEADERS)
    return { ...REGISTRATION, ...request.body }
  })
  serveFeatures(app)
  await app.listen({ port, host: '127.0.0.1' })
  return yardstickTarget
}

/** The shapes of the other answers: a redirect, a page, a refusal, a document, and JSON for JSON. */
function serveFeatures(app: FastifyInstance): void {
  app.get<{ Querystring: Record<string, string> }>('/authorize', async ({ query, url }, reply) => {
    if (query.redirect_uri === undefined) throw new Error('No redirect_uri')
    return reply.headers(PAGE_HEADERS).redirect(`/login?to=${encodeURIComponent(url)}`, 303)
  })
  app.get<{ Querystring: Record<string, string> }>('/consent', async ({ query }, reply) => {
    if (query.redirect_uri === undefined) throw new Error('No redirect_uri')
    return reply.headers(PAGE_HEADERS).type('text/html').send(TICKET)
  })
  app.get('/userinfo', async (request, reply) => {
    reply.headers(HEADERS)
    return notesFor(request.headers.authorization)
  })
  app.post<Form>('/poll', async (request, reply) => {
    if (request.body.get('device_code') === null) throw new Error('No device_code')
    reply.code(400).headers(HEADERS)
    return PENDING
  })
  app.post<Form>('/par', async (request, reply) => {
    if (request.body.get('code_challenge') === null) throw new Error('No code_challenge')
    reply.code(201).headers(HEADERS)
    return { request_uri: REQUEST_URI, expires_in: 60 }
  })
  app.get('/.well-known/oauth-authorization-server', async (_, reply) =>
    reply.headers(METADATA_HEADERS).send(METADATA),
  )
  app.post<{ Body: { id: unknown } }>('/mcp', async ({ body }) => ({ ...TOOL_ANSWER, id: body.id }))
}
