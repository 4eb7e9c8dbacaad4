import { connectToPostgres, migrate } from '@grantkit/store-postgres'
import fastify from 'fastify'
import { fill, findBare, idOf, replaceBare } from '../postgres/bare.ts'
import { startPostgresHere } from '../postgres/server.ts'
import type { StartTarget } from '../src/target.ts'
import { descriptionFor, HEADERS, limitTarget, notesFor, tokensFor } from './answers.ts'

type Form = { Body: URLSearchParams }

const GRANTS = 1000

/**
 * Bare Fastify. For each request it sends the statements that Grantkit would send, and does not read the records.
 */
export const start: StartTarget = async (port) => {
  const pool = await connectToPostgres(await startPostgresHere())
  await migrate(pool)
  await fill(pool, 0, GRANTS)
  const anyId = () => idOf(Math.floor(Math.random() * GRANTS))
  const readBoth = (id: string) => Promise.all([findBare(pool, anyId()), findBare(pool, id)])

  const app = fastify()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_: unknown, body: string) => new URLSearchParams(body),
  )
  app.get('/notes', async (request) => {
    await findBare(pool, anyId())
    return notesFor(request.headers.authorization)
  })
  app.post<Form>('/token', async (request, reply) => {
    const id = anyId()
    const [, { value, version }] = await readBoth(id)
    await replaceBare(pool, id, value, version)
    reply.headers(HEADERS)
    return tokensFor(request.body.get('grant_type'))
  })
  app.post<Form>('/introspect', async (request, reply) => {
    await readBoth(anyId())
    reply.headers(HEADERS)
    return descriptionFor(request.body.get('token'))
  })
  await app.listen({ port, host: '127.0.0.1' })
  const { code, refresh, protected: guarded, introspect } = limitTarget.work
  return { work: { code, refresh, protected: guarded, introspect } }
}
