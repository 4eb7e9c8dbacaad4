import { quickStart } from '@grantkit/test-servers/quick-start'
import { testClient } from '@grantkit/testkit/client'
import { expect, it } from 'vitest'

it('the program of docs/how-to/node.md serves a whole flow', async () => {
  const base = await quickStart(() => import('./quick-start.ts'))
  const { access_token } = await (await testClient(base)).tokens('notes:read')
  const headers = { authorization: `Bearer ${access_token}` }
  expect(await (await fetch(`${base}/notes`, { headers })).json()).toEqual(['a note of alice'])
  expect((await fetch(`${base}/notes`)).status).toBe(401)
})
