import type { HttpResponse } from '@grantkit/core'
import {
  type ClientRequest,
  inProcess,
  registerClient,
  type Send,
  testClient,
} from '@grantkit/testkit/client'
import { describe, expect, it } from 'vitest'
import { listen } from './listen.ts'
import { createNotesServer } from './notes-server.ts'

const browser = { cookie: 'session=alice' }
const now = () => 1_800_000_000

describe('a step by itself', () => {
  it('leaves out a parameter that is overridden with undefined, and returns the raw answer', async () => {
    const { server } = createNotesServer({ now })
    const app = await testClient(server, { browser })
    const refused = await app.redeem(await app.approve('notes:read'), { code_verifier: undefined })
    expect(refused).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(refused.response.headers).toMatchObject({ 'cache-control': 'no-store' })
    expect(new URL(app.authorizationUrl({ state: undefined })).searchParams.has('state')).toBe(false)
  })

  it('can be only the registration, successful or not', async () => {
    const { server } = createNotesServer({ now })
    expect(await registerClient(server)).toMatchObject({ status: 201, client_id: expect.any(String) })
    const refused = await registerClient(server, { redirect_uris: ['https://elsewhere.example/'] })
    expect(refused).toMatchObject({ status: 400, error: 'invalid_redirect_uri' })
  })

  it('can be the consent page, and the answer to it', async () => {
    const { server } = createNotesServer({ now })
    const app = await testClient(server, { browser })
    const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    const page = await app.visit(app.authorizationUrl({ scope: 'notes:read notes:write', code_challenge }))
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('notes:write') })
    const allowed = await app.decide(page, { scope: 'notes:read', decision: 'allow' })
    const code = new URL(String(allowed.headers.location)).searchParams.get('code') ?? ''
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
    expect(await app.redeem({ code, verifier })).toMatchObject({ status: 200, scope: 'notes:read' })
    expect(await app.decide(page, [['decision', 'allow']]), 'without its ticket').toMatchObject({
      status: 400,
    })
  })
})

describe('the way to the server', () => {
  it('is your own send, whose answers are returned unchanged', async () => {
    const { server } = createNotesServer({ now })
    const sent: string[] = []
    const send: Send<HttpResponse & { readonly nth: number }> = async (url, request: ClientRequest) => {
      const nth = sent.push(`${request.method} ${new URL(url).pathname}`)
      return { ...(await inProcess(server)(url, request)), nth }
    }
    const app = await testClient(server.issuer, { send, browser })
    expect((await app.refresh('gkr_unknown')).response.nth).toBe(3)
    expect(sent).toEqual([
      'GET /.well-known/oauth-authorization-server',
      'POST /api/oauth/register',
      'POST /api/oauth/token',
    ])
  })

  it('is fetch when the server is a URL', async () => {
    const url = await listen((issuer) => createNotesServer({ now, issuer }).server.routes)
    const app = await testClient(url, { browser })
    expect(await app.tokens('notes:read')).toMatchObject({ scope: 'notes:read' })
    const response = await app.authorize({ scope: 'notes:read' }, 'allow')
    expect(response, 'without a code challenge').toMatchObject({ error: 'invalid_request' })
  })

  it('says that nothing is there', async () => {
    await expect(
      testClient(`${await listen((issuer) => createNotesServer({ now, issuer }).server.routes)}/elsewhere`),
    ).rejects.toThrow('There is no metadata at')
  })
})
