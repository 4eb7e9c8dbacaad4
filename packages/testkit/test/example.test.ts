import { testClient } from '@grantkit/testkit/client'
import { expect, it } from 'vitest'
import { createNotesServer } from './notes-server.ts'

it('lets an app read notes for an hour', async () => {
  const clock = { now: 1_800_000_000 }
  const { server, api } = createNotesServer({ now: () => clock.now })
  const app = await testClient(server, { browser: { cookie: 'session=alice' } })
  const { access_token, refresh_token } = await app.tokens('notes:read')

  const headers = { authorization: `Bearer ${access_token}` }
  const request = { method: 'GET', path: '/notes', query: '', headers, body: '' }
  expect(await api.access(request, 'notes:read')).toMatchObject({ kind: 'authorized' })
  expect(await api.access(request, 'notes:write')).toMatchObject({ response: { status: 403 } })

  clock.now += 3600
  expect(await api.access(request, 'notes:read')).toMatchObject({ response: { status: 401 } })
  expect(await app.refresh(refresh_token)).toMatchObject({ status: 200, scope: 'notes:read' })

  clock.now += 31 * 24 * 3600
  expect(await app.refresh(refresh_token)).toMatchObject({ status: 400, error: 'invalid_grant' })
})
