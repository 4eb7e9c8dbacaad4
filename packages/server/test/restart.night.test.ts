import { startDynalite } from '@grantkit/test-servers/dynalite'
import { hasDynamoLocal, startDynamoLocal } from '@grantkit/test-servers/dynamodb-local'
import { freePort } from '@grantkit/test-servers/free-port'
import { startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it, onTestFinished, vi } from 'vitest'
import { parseConfig } from '../src/config/config.ts'
import { grantkitProgram } from './grantkit-program.ts'
import { ranCommand } from './ran-command.ts'
import { signedIn } from './signed-in-browser.ts'

/** Of a user: their password, and the name in their address. */
const [NAME, PASSWORD] = ['ada', 'correct horse']

/** What a server keeps over a restart: with only a database configured, and with each store that is none of them. */

/** The settings of a new and empty store. */
const STORES = {
  'next to the database': async () => ({}),
  'in MariaDB': async () => {
    const server = await startMariaDb()
    onTestFinished(() => server.close())
    return { STORE_URL: server.url.replace('mysql:', 'mariadb:') }
  },
  'in DynamoDB, in a table that development creates': async () => {
    const isLocal = hasDynamoLocal()
    const server = await (isLocal ? startDynamoLocal() : startDynalite())
    onTestFinished(() => server.close())
    const settings = {
      STORE_URL: `dynamodb://grantkit?endpoint=${server.endpoint}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    }
    // The commands run in this process.
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    return settings
  },
}

onEachDatabase((newDatabase) => {
  it.each(Object.entries(STORES))(
    'an app keeps its tokens over a restart, %s',
    async (_, newStore) => {
      const store = await newStore()
      const PORT = String(await freePort())
      const DATA_FOLDER = await temporaryFolder()
      const environment = { DATABASE_URL: await newDatabase(), DATA_FOLDER, PORT, ...store }
      const program = grantkitProgram(DATA_FOLDER, environment)
      const command = (line: string, input?: string) =>
        ranCommand({ config: parseConfig({ environment }) }, line.split(' '), input)
      const base = `http://127.0.0.1:${PORT}`
      const email = `${NAME}@example.com`
      const first = await program.start()
      await command(`users add --email ${email} --name Ada`, `${PASSWORD}\n`)
      const { client_id, access_token, refresh_token } = await signedIn(
        base,
        'openid email',
        undefined,
        `${NAME}:${PASSWORD}`,
      )
      expect(await first.stop()).toBe(0)

      const second = await program.start()
      const headers = { authorization: `Bearer ${access_token}` }
      const userInfo = () => fetch(`${base}/api/oauth/userinfo`, { headers })
      expect(await (await userInfo()).json()).toMatchObject({ email })
      const refreshed = await fetch(`${base}/api/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token }),
      })
      expect(refreshed.status).toBe(200)
      expect((await fetch(`${base}/readyz`)).status, 'a probe writes, and must spoil nothing').toBe(200)
      expect((await command(`users disable ${email}`)).output).toContain('1 grant ended')
      expect((await userInfo()).status, 'a command reaches the server that runs').toBe(401)
      expect(await second.stop()).toBe(0)
      const trail = await command(`trail export --client ${client_id}`)
      for (const type of ['consent_granted', 'grant_revoked'])
        expect(trail.output).toContain(`"type":"${type}"`)
    },
    180_000,
  )
})
