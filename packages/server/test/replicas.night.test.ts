import { join } from 'node:path'
import { newDatabase } from '@grantkit/test-servers/postgres-database'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { formBrowser, overFetch, type Send, testClient } from '@grantkit/testkit/client'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { keySetText, newKeys } from '../src/config/signing-keys-file.ts'
import { replaceFile } from '../src/config/text-file.ts'
import { grantkitProgram } from './grantkit-program.ts'

/** Two processes of `grantkit start` in production mode with one Postgres, as behind a load balancer. */

const BASE_URL = 'https://auth.notes.example'
const ADA = { email: 'ada@notes.example', password: 'a password of her own' }

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres('fsync=off')
})
afterAll(() => postgres.close())

async function deployment() {
  const [folder, database] = [await temporaryFolder(), await newDatabase(postgres.url)]
  const KEYS_FILE = join(folder, 'keys.json')
  await replaceFile(KEYS_FILE, keySetText(await newKeys(undefined)))
  const program = grantkitProgram(folder, {
    NODE_ENV: 'production',
    BASE_URL,
    SECRET: 'x'.repeat(32),
    KEYS_FILE,
    DATABASE_URL: database.url,
  })
  return { program, databaseUrl: database.url }
}

/** Tables, indexes and recorded migrations, with the transaction that last changed each of them. */
async function changesIn(databaseUrl: string): Promise<unknown[]> {
  const client = new Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query(`
    select relname as name, xmin::text from pg_class where relnamespace = 'public'::regnamespace
    union all select name, xmin::text from grantkit_migration
    union all select 'the store', xmin::text from grantkit_schema order by name`)
  await client.end()
  return rows
}

/** Takes requests of BASE_URL to a replica, as a load balancer does. */
const balanced =
  (url: string): Send =>
  (address, request) =>
    overFetch()(address.replace(BASE_URL, url), request)

it('an app signs in at one replica, redeems its code at the other, and a revocation there is one here', async () => {
  const { program, databaseUrl } = await deployment()
  const here = await program.start()
  const migrated = await changesIn(databaseUrl)
  const there = await program.start()
  expect(await changesIn(databaseUrl), 'the second start migrates nothing').toEqual(migrated)

  await program.run(['users', 'add', '--email', ADA.email, '--name', 'Ada'], `${ADA.password}\n`)
  const send = balanced(here.url)
  const app = await testClient(BASE_URL, {
    send,
    browser: formBrowser({ origin: BASE_URL, typed: ADA, send }),
  })
  const client = { clientId: app.clientId, redirectUris: [app.redirectUri] }
  const appThere = await testClient(BASE_URL, { send: balanced(there.url), client })
  const { access_token, refresh_token = '' } = await appThere.redeem(await app.approve('openid'))
  const userInfo = async ({ url }: { readonly url: string }) => {
    const headers = { authorization: `Bearer ${access_token}` }
    return (await fetch(`${url}/api/oauth/userinfo`, { headers })).status
  }
  expect([await userInfo(here), await userInfo(there)]).toEqual([200, 200])
  expect((await appThere.revoke(refresh_token)).status).toBe(200)
  expect([await userInfo(here), await userInfo(there)]).toEqual([401, 401])
  expect((await app.refresh(refresh_token)).error).toBe('invalid_grant')
})

it('two replicas start at once on an empty database', async () => {
  const { program } = await deployment()
  for (const { url } of await Promise.all([program.start(), program.start()]))
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
})
