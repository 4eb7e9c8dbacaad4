import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { testClient } from '@grantkit/testkit/client'
import { decodeJwt } from 'jose'
import { expect, it, onTestFinished, vi } from 'vitest'
import { consentingBrowser } from './consenting-browser.ts'
import { openLogoutReceiver } from './logout-receiver.ts'
import { run } from './program.ts'
import { sessionCookie } from './user.ts'

/** A service that is killed between a sign-out and its delivery. */

it('the next process delivers what a killed one had stored, with a new logout token', async () => {
  const receiver = await openLogoutReceiver()
  onTestFinished(() => receiver.close())
  const PORT = String(await freePort())
  const environment = {
    DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'service.sqlite')}`,
    PORT,
    ...receiver.settings,
  }
  const base = `http://127.0.0.1:${PORT}`
  const first = run('main.ts', [], { environment })
  await first.printed('Try next')
  const words = ['--name', 'Timetable', '--redirect-uri', 'https://app.dev/callback', '--json']
  const adding = run('cli.ts integration', ['add', ...words, '--backchannel-logout-uri', receiver.uri], {
    environment,
  })
  expect(await adding.ended, adding.output()).toBe(0)
  const added = JSON.parse(adding.output().slice(adding.output().indexOf('{')))
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
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 5000)
  process.kill(first.pid, 'SIGKILL')
  await first.ended
  receiver.answer = () => 200

  const second = run('main.ts', [], { environment })
  await second.printed('Try next')
  // If the first one was killed before it had stored the answer, it still holds its lease: for a minute.
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2), 90_000)
  const [one, other] = receiver.received
  expect([one?.sid, other?.sid]).toEqual(Array(2).fill(decodeJwt(String(id_token)).sid))
  expect(one?.jti).not.toBe(other?.jti)
  second.stop()
  expect(await second.ended).toBe(0)
}, 120_000)
