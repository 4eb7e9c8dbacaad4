import { freePort } from '@grantkit/test-servers/free-port'
import { testClient } from '@grantkit/testkit/client'
import { expect, it } from 'vitest'

it('the program of docs/how-to/node.md serves a whole flow', async () => {
  const base = `http://127.0.0.1:${await freePort()}`
  process.env.PORT = base.split(':').at(-1)
  await import('./quick-start.ts')

  const { access_token } = await (await testClient(base)).tokens('notes:read')
  const headers = { authorization: `Bearer ${access_token}` }
  expect(await (await fetch(`${base}/notes`, { headers })).json()).toEqual(['a note of alice'])
  expect((await fetch(`${base}/notes`)).status).toBe(401)
})
