import fastify from 'fastify'
import type { StartTarget } from '../src/workloads.ts'
import { bareTarget, FORMS, GUARDED, requireText } from './answers.ts'

export const start: StartTarget = async (port) => {
  const app = fastify()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_: unknown, body: string) => new URLSearchParams(body),
  )
  for (const [path, { headers, body }] of Object.entries(GUARDED))
    app.get(path, async (request, reply) => {
      requireText(request.headers.authorization)
      reply.headers(headers)
      return body
    })
  for (const [path, { field, status, headers, body }] of Object.entries(FORMS))
    app.post<{ Body: URLSearchParams }>(path, async (request, reply) => {
      requireText(request.body.get(field))
      reply.code(status).headers(headers)
      return body
    })
  await app.listen({ port, host: '127.0.0.1' })
  return bareTarget
}
