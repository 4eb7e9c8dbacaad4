import { quickStart } from '@grantkit/test-servers/quick-start'
import { testClient } from '@grantkit/testkit/client'
import { expect, it } from 'vitest'

it('the program of the README serves a whole flow', async () => {
  const url = await quickStart(() => import('./quick-start.ts'))
  const { access_token } = await (await testClient(url)).tokens('notes:read')
  const headers = { authorization: `Bearer ${access_token}` }
  expect(await (await fetch(`${url}/notes`, { headers })).json()).toEqual(['a note of alice'])
  expect((await fetch(`${url}/notes`)).status).toBe(401)
})
