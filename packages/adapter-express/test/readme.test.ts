import { freePort } from '@grantkit/test-servers/free-port'
import { testClient } from '@grantkit/testkit/client'
import { expect, it } from 'vitest'

it('the quick start of the README serves a whole flow', async () => {
  process.env.PORT = `${await freePort()}`
  await import('./quick-start.ts')
  const base = `http://127.0.0.1:${process.env.PORT}`
  const { access_token } = await (await testClient(base)).tokens('notes:read')
  const headers = { authorization: `Bearer ${access_token}` }
  expect(await (await fetch(`${base}/notes`, { headers })).json()).toEqual(['a note of alice'])
  expect((await fetch(`${base}/notes`)).status).toBe(401)
})
