import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort } from '@grantkit/test-servers/free-port'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { testClient } from '@grantkit/testkit/client'
import { decodeJwt } from 'jose'
import { expect, it, onTestFinished } from 'vitest'
import { runCommand } from './command.ts'
import { consentingBrowser } from './consenting-browser.ts'
import { openLogoutReceiver } from './logout-receiver.ts'
import { run } from './program.ts'
import { sessionCookie } from './user.ts'

/** A service that is killed between a sign-out and its delivery. */

it('the next process delivers what a killed one had stored, with a new logout token', async () => {
  const receiver = await openLogoutReceiver()
  onTestFinished(() => receiver.close())
  const PORT = String(await freePort())
  const folder = await temporaryFolder()
  const environment = {
    DATABASE_URL: `sqlite:${join(folder, 'service.sqlite')}`,
    PORT,
    ...receiver.settings,
  }
  const base = `http://127.0.0.1:${PORT}`
  const first = run('main.ts', [], { environment })
  await first.printed('Try next')
  const words = ['--name', 'Timetable', '--redirect-uri', 'https://app.dev/callback', '--json']
  const adding = ['integration', 'add', ...words, '--backchannel-logout-uri', receiver.uri]
  const { status, output } = await runCommand(adding, environment)
  expect(status, output).toBe(0)
  const added = JSON.parse(output.slice(output.indexOf('{')))
  const client = {
    clientId: added.client_id,
    clientSecret: added.client_secret,
    redirectUris: added.redirect_uris,
  }
  const cookie = await sessionCookie(base)
  const app = await testClient(base, { client, browser: consentingBrowser(cookie) })
  const { id_token } = await app.tokens('openid')

  receiver.answer = () => 503
  await fetch(`${base}/logout`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams(),
    redirect: 'manual',
  })
  await expect.poll(() => receiver.received).not.toEqual([])
  process.kill(first.pid, 'SIGKILL')
  await first.ended
  letTimePass(folder)
  const sent = receiver.received.length
  receiver.answer = () => 200

  const second = run('main.ts', [], { environment })
  await second.printed('Try next')
  await expect.poll(() => receiver.received.length).toBeGreaterThan(sent)
  const [one, other] = [receiver.received[0], receiver.received.at(-1)]
  expect([one?.sid, other?.sid]).toEqual(Array(2).fill(decodeJwt(String(id_token)).sid))
  expect(one?.jti).not.toBe(other?.jti)
  second.stop()
  expect(await second.ended).toBe(0)
})

/** The lease of the killed process is over, and what it had tried is due: in the records, without a minute of waiting. */
function letTimePass(folder: string): void {
  const database = new DatabaseSync(join(folder, 'service-grants.sqlite'))
  const update = database.prepare('UPDATE grantkit_transient SET value = ? WHERE id = ?')
  for (const { id, value } of database.prepare('SELECT id, value FROM grantkit_transient').all())
    update.run(String(value).replaceAll(/"(due|until)":\d+/g, '"$1":0'), String(id))
  database.close()
}
