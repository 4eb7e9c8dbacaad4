import { freePort } from '@grantkit/test-servers/free-port'
import { testClient } from '@grantkit/testkit/client'
import { expect, it } from 'vitest'

it('the program of the README serves a whole flow', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  process.env.PORT = String(port)
  await import('./quick-start.ts')
  const { access_token } = await (await testClient(url)).tokens('notes:read')
  const headers = { authorization: `Bearer ${access_token}` }
  expect(await (await fetch(`${url}/notes`, { headers })).json()).toEqual(['a note of alice'])
  expect((await fetch(`${url}/notes`)).status).toBe(401)
})
