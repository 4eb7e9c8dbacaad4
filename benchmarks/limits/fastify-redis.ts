import { connectToRedis } from '@grantkit/store-redis'
import fastify from 'fastify'
import { aClient, aGrant } from '../../packages/testkit/src/sample-records.ts'
import { startRedis } from '../redis/server.ts'
import { SWAP, SWAP_SHA1 } from '../redis/swap.ts'
import type { StartTarget } from '../src/target.ts'
import { descriptionFor, HEADERS, limitTarget, notesFor, tokensFor } from './answers.ts'

type Form = { Body: URLSearchParams }

const CLIENT = 'bare:client'
const GRANT = 'bare:grant'
const VERSION = 'v'.repeat(22)
const END = String(Math.floor(Date.now() / 1000) + 86_400)

/**
 * Bare Fastify. For each request it sends the Redis commands that Grantkit would send, and does not read the replies.
 */
export const start: StartTarget = async (port) => {
  const redis = await connectToRedis(await startRedis(port + 1))
  const recordOf = (value: unknown) => VERSION + JSON.stringify({ schema: 1, value })
  const write = (key: string, record: string) => ({ keys: [key], arguments: ['', record, END] })
  const grant = recordOf(aGrant())
  await redis.eval(SWAP, write(CLIENT, recordOf(aClient())))
  await redis.eval(SWAP, write(GRANT, grant))
  const readBoth = () => Promise.all([redis.get(CLIENT), redis.get(GRANT)])

  const app = fastify()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_: unknown, body: string) => new URLSearchParams(body),
  )
  app.get('/notes', async (request) => {
    await redis.get(GRANT)
    return notesFor(request.headers.authorization)
  })
  app.post<Form>('/token', async (request, reply) => {
    await readBoth()
    await redis.evalSha(SWAP_SHA1, write(GRANT, grant))
    reply.headers(HEADERS)
    return tokensFor(request.body.get('grant_type'))
  })
  app.post<Form>('/introspect', async (request, reply) => {
    await readBoth()
    reply.headers(HEADERS)
    return descriptionFor(request.body.get('token'))
  })
  await app.listen({ port, host: '127.0.0.1' })
  const { code, refresh, protected: guarded, introspect } = limitTarget.work
  return { work: { code, refresh, protected: guarded, introspect } }
}
