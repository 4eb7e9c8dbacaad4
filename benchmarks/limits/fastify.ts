import fastify from 'fastify'
import type { StartTarget } from '../src/target.ts'
import { descriptionFor, HEADERS, notesFor, REGISTRATION, signingTarget, tokensFor } from './answers.ts'
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
  await app.listen({ port, host: '127.0.0.1' })
  return signingTarget
}
