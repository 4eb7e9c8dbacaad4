/** A Worker that tries to make the store, in the ways that look possible. */
import { createClient } from '@redis/client'
import { connectToRedis, createRedisStore, type RedisCommands } from '../../src/index.ts'

interface Env {
  readonly REDIS: string
}

const ATTEMPTS: Readonly<Record<string, (env: Env) => Promise<unknown>>> = {
  '/connect': ({ REDIS }) => connectToRedis(REDIS),
  async '/own-client'({ REDIS }) {
    const client = createClient({ url: REDIS }).on('error', () => {})
    await client.connect()
    return createRedisStore(client as unknown as RedisCommands)
  },
  '/over-http': async () => createRedisStore({} as RedisCommands),
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const attempt = ATTEMPTS[new URL(request.url).pathname]
    if (attempt === undefined) return new Response('no such attempt', { status: 404 })
    const outcome = await attempt(env).then(
      () => 'made',
      (error: Error) => error.message,
    )
    return new Response(outcome)
  },
}
