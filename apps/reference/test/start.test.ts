import { freePort } from '@grantkit/test-servers/free-port'
import { expect, it } from 'vitest'
import { run } from './program.ts'

it('the service starts, answers with its metadata, and ends by itself when the drain after SIGTERM is over', async () => {
  const PORT = String(await freePort())
  const issuer = `http://127.0.0.1:${PORT}`
  const { printed, stop, ended } = run('main.ts', [], { environment: { PORT, DRAIN_SECONDS: '0' } })
  try {
    await printed('Try next')
    const metadata = await fetch(`${issuer}/.well-known/oauth-authorization-server`)
    expect(await metadata.json()).toMatchObject({ issuer })
  } finally {
    stop('SIGTERM')
  }
  expect(await ended).toBe(0)
})
