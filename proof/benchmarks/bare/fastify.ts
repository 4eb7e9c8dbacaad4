import fastify from 'fastify'
import type { StartTarget } from '../src/workloads.ts'
import { bareTarget, FORMS, GUARDED, MCP, requireText } from './answers.ts'

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
  app.post<{ Body: Record<string, unknown> }>('/mcp', async (request, reply) => {
    requireText(request.headers.authorization)
    requireText(request.body[MCP.field])
    reply.code(MCP.status).headers(MCP.headers)
    return MCP.body
  })
  await app.listen({ port, host: '127.0.0.1' })
  return bareTarget
}
