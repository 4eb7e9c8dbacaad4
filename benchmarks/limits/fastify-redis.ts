import { newVersion, VERSION_LENGTH } from '@grantkit/core/store-kit'
import { connectToRedis } from '@grantkit/store-redis'
import fastify from 'fastify'
import { startRedis } from '../redis/server.ts'
import { SWAP, SWAP_SHA1 } from '../redis/swap.ts'
import type { StartTarget } from '../src/target.ts'
import { descriptionFor, HEADERS, limitTarget, notesFor, tokensFor } from './answers.ts'

type Form = { Body: URLSearchParams }

/** The bytes of what Grantkit writes: a client, a grant when its code is redeemed, and one at its first refresh. */
const CLIENT_BYTES = 412
const GRANT_BYTES = { authorization_code: 771, refresh_token: 1098 }

/** More than there are requests at once: each finds the version that it read. */
const GRANTS = 1000
const CLIENT = 'bare:client'
const END = String(Math.floor(Date.now() / 1000) + 86_400)

const recordOf = (bytes: number) => newVersion() + 'v'.repeat(bytes)
const write = (key: string, seen: string, bytes: number) => ({
  keys: [key],
  arguments: [seen, recordOf(bytes), END],
})

/**
 * Bare Fastify. For each request it sends the Redis commands that Grantkit needs, each by itself, and reads no more of the
 * replies than a version, so that each write takes place.
 */
export const start: StartTarget = async (port) => {
  const redis = await connectToRedis(await startRedis(port + 1))
  await redis.eval(SWAP, write(CLIENT, '', CLIENT_BYTES))
  for (const [grantType, bytes] of Object.entries(GRANT_BYTES))
    for (let grant = 0; grant < GRANTS; grant++)
      await redis.eval(SWAP, write(`bare:${grantType}:${grant}`, '', bytes))
  let turn = 0
  const nextGrant = (grantType: string) => `bare:${grantType}:${turn++ % GRANTS}`
  const readBoth = (grant: string) => Promise.all([redis.get(CLIENT), redis.get(grant)])

  const app = fastify()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_: unknown, body: string) => new URLSearchParams(body),
  )
  app.get('/notes', async (request) => {
    await redis.get(nextGrant('refresh_token'))
    return notesFor(request.headers.authorization)
  })
  app.post<Form>('/token', async (request, reply) => {
    const grantType = request.body.get('grant_type') as keyof typeof GRANT_BYTES
    const grant = nextGrant(grantType)
    const [, record] = await readBoth(grant)
    const seen = String(record).slice(0, VERSION_LENGTH)
    await redis.evalSha(SWAP_SHA1, write(grant, seen, GRANT_BYTES[grantType]))
    reply.headers(HEADERS)
    return tokensFor(grantType)
  })
  app.post<Form>('/introspect', async (request, reply) => {
    await readBoth(nextGrant('refresh_token'))
    reply.headers(HEADERS)
    return descriptionFor(request.body.get('token'))
  })
  await app.listen({ port, host: '127.0.0.1' })
  const { code, refresh, protected: guarded, introspect } = limitTarget.work
  return { work: { code, refresh, protected: guarded, introspect } }
}
