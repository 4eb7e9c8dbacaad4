import type { HttpResponse } from '@grantkit/core'
import type { Route } from '@grantkit/core/adapter'
import { formBrowser, testClient } from '@grantkit/testkit/client'
import { describe, expect, it } from 'vitest'
import { listen } from './listen.ts'
import { createNotesServer } from './notes-server.ts'

const now = () => 1_800_000_000

/** The notes server with a sign-in page that leads back to the original target. */
function withSignIn(origin: string): readonly Route[] {
  const { server } = createNotesServer({ now, issuer: origin })
  return [
    ...server.routes,
    { path: '/login', methods: ['GET', 'POST'], handle: async (request) => signIn(request) },
  ]
}

function signIn({ method, query, body }: { method: string; query: string; body: string }): HttpResponse {
  const typed = Object.fromEntries(new URLSearchParams(body))
  const page = (hint: string) => `${hint}<form method="post" action="/login">
    <input type="hidden" name="to" value="${new URLSearchParams(query).get('to')?.replaceAll('&', '&amp;')}">
    <input name="user"><input name="password" type="password">
  </form>`
  if (method === 'GET') return { status: 200, headers: {}, body: page('') }
  if (typed.password !== 'wonderland') return { status: 403, headers: {}, body: page('Wrong password') }
  const headers = {
    location: typed.to ?? '',
    'set-cookie': [`session=${typed.user}; HttpOnly`, 'theme=dark'],
  }
  return { status: 303, headers, body: '' }
}

/** Its form has no field for the target: that stays in the address. */
function signInAtThisAddress({ method, query }: { method: string; query: string }): HttpResponse {
  if (method === 'GET')
    return { status: 200, headers: {}, body: '<form method="post"><input name="user"></form>' }
  const location = new URLSearchParams(query).get('to') ?? '/'
  return { status: 303, headers: { location, 'set-cookie': 'session=alice' }, body: '' }
}

async function appOf(password: string) {
  const origin = await listen(withSignIn)
  const browser = formBrowser({ origin, typed: { user: 'alice', password } })
  return { browser, app: await testClient(origin, { browser }) }
}

describe('formBrowser', () => {
  it('signs in by the form of the page, and allows what the page asks', async () => {
    const { app } = await appOf('wonderland')
    expect(await app.tokens('notes:read notes:write')).toMatchObject({ scope: 'notes:read notes:write' })
  })

  it('denies, and unticks', async () => {
    const { app, browser } = await appOf('wonderland')
    const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    const request = { scope: 'notes:read notes:write', code_challenge }
    expect(await app.authorize(request, 'deny')).toMatchObject({ error: 'access_denied' })
    const callback = await browser(app.authorizationUrl(request), { without: ['notes:write'] })
    const code = callback.searchParams.get('code') ?? ''
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
    expect(await app.redeem({ code, verifier })).toMatchObject({ status: 200, scope: 'notes:read' })
  })

  it('sends a form without an action to the address of its page, as browsers do', async () => {
    const origin = await listen((issuer) => [
      ...createNotesServer({ now, issuer }).server.routes,
      { path: '/login', methods: ['GET', 'POST'], handle: async (request) => signInAtThisAddress(request) },
    ])
    const app = await testClient(origin, { browser: formBrowser({ origin, typed: { user: 'alice' } }) })
    expect(await app.tokens('notes:read')).toMatchObject({ scope: 'notes:read' })
  })

  it('types once, and shows the page that it cannot get past', async () => {
    const { app } = await appOf('looking-glass')
    await expect(app.tokens('notes:read')).rejects.toThrow('comes again (status 403): Wrong password')
  })
})
