import { testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { run } from './program.ts'
import { type RunningService, runService } from './service.ts'
import { user } from './user.ts'

/** A service where the operator adds every client. */

let service: RunningService
beforeAll(async () => {
  service = await runService({ REGISTRATION: 'off' })
})
afterAll(() => service.close())

const textAt = async (path: string) => (await fetch(service.baseUrl + path)).text()

it('registers no client, and names no endpoint for it', async () => {
  const body = JSON.stringify({ redirect_uris: ['http://127.0.0.1/cb'] })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${service.baseUrl}/api/oauth/register`, { method: 'POST', headers, body })
  expect(answer.status).toBe(404)
  expect(JSON.parse(await textAt('/.well-known/oauth-authorization-server'))).not.toHaveProperty(
    'registration_endpoint',
  )
})

it('shows it in its documents and on its pages', async () => {
  expect(await textAt('/auth.md')).toContain('There is no dynamic client registration here')
  for (const path of ['/auth.md', '/llms.txt', '/openapi.json'])
    expect(await textAt(path), path).not.toMatch(/oauth\/register|register themselves|ClientRegistration/)
  const page = await textAt('/oauth/authorize?client_id=unknown')
  expect(page).toContain('does not know this app.')
  expect(page).toMatch(/ask the operator to register the app/i)
  expect(page).not.toMatch(/register it/i)
})

it('returns the error to a program that checks before it opens a browser', async () => {
  const headers = { accept: 'application/json' }
  const answer = await fetch(`${service.baseUrl}/oauth/authorize?client_id=unknown`, { headers })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ reason: 'client_unknown', iss: service.baseUrl })
})

it('serves a client that the operator added', async () => {
  const redirectUris = ['http://127.0.0.1:7001/cb']
  const client = await service.clients.add({ clientName: 'Zap', redirectUris })
  const app = await testClient(service.baseUrl, { client, browser: user(service.baseUrl) })
  expect(await app.tokens('courses:read')).toMatchObject({ scope: 'courses:read' })
})

it('is in good health, for the doctor', async () => {
  const doctor = run('../../../packages/doctor/src/bin.ts', [service.baseUrl, '--json'])
  expect([await doctor.ended, JSON.parse(doctor.output())]).toMatchObject([0, expect.any(Array)])
})
