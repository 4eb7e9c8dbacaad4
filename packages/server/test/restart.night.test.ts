import { freePort } from '@grantkit/test-servers/free-port'
import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it } from 'vitest'
import { parseConfig } from '../src/config/config.ts'
import { grantkitProgram } from './grantkit-program.ts'
import { ranCommand } from './ran-command.ts'
import { signedIn } from './signed-in-browser.ts'

/** Of a user: their password, and the name in their address. */
const WORD = 'correct-horse'

/** What a server keeps over a restart with only a database configured. */

onEachDatabase((newDatabase) => {
  it('an app keeps its tokens over a restart', async () => {
    const PORT = String(await freePort())
    const DATA_FOLDER = await temporaryFolder()
    const environment = { DATABASE_URL: await newDatabase(), DATA_FOLDER, PORT }
    const program = grantkitProgram(DATA_FOLDER, environment)
    const command = (line: string, input?: string) =>
      ranCommand({ config: parseConfig({ environment }) }, line.split(' '), input)
    const base = `http://127.0.0.1:${PORT}`
    const email = `${WORD}@example.com`
    const first = await program.start()
    await command(`users add --email ${email} --name Ada`, `${WORD}\n`)
    const { client_id, access_token, refresh_token } = await signedIn(base, 'openid email', undefined, WORD)
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
  })
})
