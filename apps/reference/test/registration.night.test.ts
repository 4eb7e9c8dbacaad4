import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from './program.ts'
import { type RunningService, runService } from './service.ts'

/** Where the service says who may register a client. */

let service: RunningService
const opened = (settings: Record<string, string>) => {
  beforeAll(async () => {
    service = await runService(settings)
  })
  afterAll(() => service.close())
}
const textAt = async (path: string) => (await fetch(service.baseUrl + path)).text()

describe('a service with REGISTRATION=off', () => {
  opened({ REGISTRATION: 'off' })

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

  it('is in good health, for the doctor', async () => {
    const doctor = run('../../../packages/doctor/src/bin.ts', [service.baseUrl, '--json'])
    expect([await doctor.ended, JSON.parse(doctor.output())]).toMatchObject([0, expect.any(Array)])
  })
})

describe('a service with INITIAL_ACCESS_TOKENS=on', () => {
  opened({ INITIAL_ACCESS_TOKENS: 'on' })

  it('describes registration with an initial access token and its 401 in the OpenAPI document', async () => {
    const { paths, components } = JSON.parse(await textAt('/openapi.json'))
    const { initialAccessToken, oauth2 } = components.securitySchemes
    expect(initialAccessToken).toMatchObject({ type: 'http', scheme: 'bearer' })
    expect(oauth2.description).toContain('register themselves, with an initial access token')
    const register = paths['/api/oauth/register'].post
    expect(register).toMatchObject({
      description: expect.stringContaining('With an initial access token'),
      security: [{ initialAccessToken: [] }],
      responses: { 401: { headers: { 'WWW-Authenticate': expect.anything() } } },
    })
  })

  it('tells agents about the token in the documents for them', async () => {
    expect(await textAt('/auth.md')).toMatch(
      /gives you an initial access token[\s\S]*-H "Authorization: Bearer \$INITIAL_ACCESS_TOKEN" \\\n {2}-d/,
    )
    expect(await textAt('/llms.txt')).toContain('with an initial access token of the operator')
  })
})
