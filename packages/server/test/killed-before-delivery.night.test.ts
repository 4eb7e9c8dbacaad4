import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { testClient } from '@grantkit/testkit/client'
import { decodeJwt } from 'jose'
import { expect, it, onTestFinished } from 'vitest'
import { consentingBrowser } from './consenting-browser.ts'
import { grantkitProgram } from './grantkit-program.ts'
import { openLogoutReceiver } from './logout-receiver.ts'

/** A server that is killed between a sign-out and its delivery. */

it('the next process delivers what a killed one had stored, with a new logout token', async () => {
  const receiver = await openLogoutReceiver()
  onTestFinished(() => receiver.close())
  const folder = await temporaryFolder()
  const program = grantkitProgram(folder, {
    DATABASE_URL: `sqlite:${join(folder, 'service.sqlite')}`,
    // Vitest has one of its own.
    BASE_URL: '',
    ...receiver.settings,
  })
  const first = await program.start()
  await program.run(['users', 'add', '--email', 'ada@notes.example', '--name', 'Ada'], 'correct horse')
  const words = ['--name', 'Timetable', '--redirect-uri', 'https://app.dev/callback', '--json']
  const adding = ['clients', 'add', ...words, '--backchannel-logout-uri', receiver.uri]
  const output = await program.run(adding)
  const added = JSON.parse(output.slice(output.indexOf('{')))
  const client = {
    clientId: added.client_id,
    clientSecret: added.client_secret,
    redirectUris: added.redirect_uris,
  }
  const cookie = await sessionCookie(first.url, 'ada@notes.example', 'correct horse')
  const app = await testClient(first.url, { client, browser: consentingBrowser(cookie) })
  const { id_token } = await app.tokens('openid')

  receiver.answer = () => 503
  await fetch(`${first.url}/logout`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams(),
    redirect: 'manual',
  })
  await expect.poll(() => receiver.received).not.toEqual([])
  await first.close()
  letTimePass(folder)
  const sent = receiver.received.length
  receiver.answer = () => 200

  await program.start()
  await expect.poll(() => receiver.received.length).toBeGreaterThan(sent)
  const [one, other] = [receiver.received[0], receiver.received.at(-1)]
  expect([one?.sid, other?.sid]).toEqual(Array(2).fill(decodeJwt(String(id_token)).sid))
  expect(one?.jti).not.toBe(other?.jti)
})

/** The lease of the killed process is over, and what it had tried is due: in the records, without a minute of waiting. */
function letTimePass(folder: string): void {
  const database = new DatabaseSync(join(folder, 'service-grants.sqlite'))
  const update = database.prepare('UPDATE grantkit_transient SET value = ? WHERE id = ?')
  for (const { id, value } of database.prepare('SELECT id, value FROM grantkit_transient').all())
    update.run(String(value).replaceAll(/"(due|until)":\d+/g, '"$1":0'), String(id))
  database.close()
}
