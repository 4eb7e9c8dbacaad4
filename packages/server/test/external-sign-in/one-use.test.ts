import { newSigningKeys } from '@grantkit/core'
import { startPostgres } from '@grantkit/test-servers/postgres-server'
import { startRedis } from '@grantkit/test-servers/redis-server'
import { decodeJwt, SignJWT } from 'jose'
import { expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config/config.ts'
import { externalSignInOf } from '../../src/external-sign-in/external-sign-in.ts'
import { externalSignIn } from '../../src/external-sign-in/options.ts'
import { openStorage } from '../../src/storage.ts'
import { KEY } from './server-with-users.ts'

/** A response of the application counts once on all replicas. */

const ISSUER = 'https://auth.example'
const APPLICATION = 'https://app.example/sign-in'
const users = externalSignIn({ url: APPLICATION, key: KEY })
const signingKeys = await newSigningKeys()

/** The sign-in of a process with connections of its own. */
async function replica(storeUrl: string) {
  const environment = { DATABASE_URL: 'memory:', STORE_URL: storeUrl }
  const storage = await openStorage(parseConfig({ environment }), () => {})
  onTestFinished(() => storage.close())
  const { store } = storage
  return externalSignInOf(users, {
    secret: 'x'.repeat(32),
    baseUrl: ISSUER,
    store,
    keys: () => signingKeys,
  })
}

function responseTo(location: string): Promise<string> {
  const { jti = '' } = decodeJwt(new URL(location).searchParams.get('request') ?? '')
  const now = Math.floor(Date.now() / 1000)
  const payload = { jti, iss: APPLICATION, aud: ISSUER, sub: 'alice', auth_time: now, exp: now + 60 }
  return new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(KEY))
}

it.each([
  ['Postgres', () => startPostgres('fsync=off')],
  ['Redis', () => startRedis()],
])('of two replicas with one %s, one accepts a response, and neither accepts it again', async (_, start) => {
  const server = await start()
  onTestFinished(() => server.close())
  const replicas = [await replica(server.url), await replica(server.url)] as const
  const { location, cookie } = await replicas[0].begin({ returnTo: '/account' })
  const response = await responseTo(location)
  const finish = () => Promise.allSettled(replicas.map((one) => one.finish(cookie, response)))
  expect((await finish()).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const expired = expect.objectContaining({ reason: 'expired' })
  expect(await finish()).toEqual(Array(2).fill({ status: 'rejected', reason: expired }))
})
