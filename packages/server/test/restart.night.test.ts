import { freePort } from '@grantkit/test-servers/free-port'
import { expect, it } from 'vitest'
import { runCommand } from './command.ts'
import { onEachDatabase } from './on-each-database.ts'
import { run } from './program.ts'
import { signedIn } from './tokens.ts'

/** What a service keeps over a restart with only a database configured. */

onEachDatabase((newDatabase) => {
  it('an app keeps its tokens and its records over a restart', async () => {
    const PORT = String(await freePort())
    const environment = { DATABASE_URL: await newDatabase(), PORT }
    const base = `http://127.0.0.1:${PORT}`
    const first = run('main.ts', [], { environment })
    await first.printed('Try next')
    const { client_id, access_token, refresh_token } = await signedIn(base, 'courses:read courses:write')
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ title: 'Knots' })
    const added = await fetch(`${base}/api/courses`, { method: 'POST', headers, body })
    const item = `${base}${added.headers.get('location')}`
    first.stop()
    expect(await first.ended).toBe(0)

    const second = run('main.ts', [], { environment })
    await second.printed('Try next')
    expect(await (await fetch(item, { headers })).json()).toMatchObject({ title: 'Knots' })
    const refreshed = await fetch(`${base}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token }),
    })
    expect(refreshed.status).toBe(200)
    expect((await fetch(`${base}/readyz`)).status, 'a probe writes, and must spoil nothing').toBe(200)
    const disabled = run('cli.ts account', ['disable', 'demo@example.com'], { environment })
    expect(await disabled.ended, disabled.output()).toBe(0)
    expect(disabled.output()).toContain('1 grant ended')
    expect((await fetch(item, { headers })).status, 'a command reaches the service that runs').toBe(401)
    second.stop()
    expect(await second.ended).toBe(0)
    const trail = await runCommand(['trail', 'export', '--client', client_id], environment)
    expect(trail.status, trail.output).toBe(0)
    for (const type of ['consent_granted', 'grant_revoked'])
      expect(trail.output).toContain(`"type":"${type}"`)
  })
})
