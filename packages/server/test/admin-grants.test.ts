import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { PasskeyBrowser } from './passkey-browser.ts'
import { DANA } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { appOf } from './signed-in-browser.ts'

/** The grants of the admin API: which clients get them, from which sign-ins, and when they end. */

let server: RunningServer
beforeAll(async () => {
  server = await runServer({ ADMIN_API: 'on', CLIENT_CREDENTIALS: 'on', INITIAL_ACCESS_TOKENS: 'off' })
  await server.accounts.setAdmin(DANA.id, true)
})
afterAll(() => server.close())

const REDIRECT_URI = 'http://127.0.0.1:7001/callback'
const CONSOLE = {
  clientName: 'Console',
  redirectUris: [REDIRECT_URI],
  tokenEndpointAuthMethod: 'none' as const,
}

/** An app of the admin that an operator added. */
async function added(scopes?: readonly string[]) {
  const client = await server.clients.add({ ...CONSOLE, scopes })
  return appOf(server, 'demo', { client })
}

async function readsUsers(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${server.baseUrl}/admin/api/users`, { headers })).status
}

const toAdminApi = () => ({ resource: `${server.baseUrl}/admin/api` })

describe('a scope of the admin API', () => {
  it('is given to a client that names it, by the consent of an admin', async () => {
    const { access_token } = await (await added(['admin:read'])).tokens('admin:read', toAdminApi())
    expect(await readsUsers(access_token)).toBe(200)
  })

  it('is refused to a client that was added without scopes, and to one that registered itself', async () => {
    for (const { clientId } of [await added(), await appOf(server, 'demo')]) {
      const query = new URLSearchParams({
        ...{ client_id: clientId, response_type: 'code', redirect_uri: REDIRECT_URI, scope: 'admin:read' },
        ...{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' },
      })
      const address = `${server.baseUrl}/oauth/authorize?${query}`
      const location = String((await fetch(address, { redirect: 'manual' })).headers.get('location'))
      expect(new URL(location).searchParams.get('error')).toBe('invalid_scope')
    }
  })

  it('is not in the metadata of the server, but in those of the admin API', async () => {
    const listed = async (path: string) =>
      (await (await fetch(server.baseUrl + path)).json()).scopes_supported
    expect(await listed('/.well-known/oauth-authorization-server')).not.toContain('admin:read')
    const ofApi = '/.well-known/oauth-protected-resource/admin/api'
    expect(await listed(ofApi)).toEqual(['admin:read', 'admin:write'])
  })

  it('ends at once for a client that loses it', async () => {
    const app = await added(['admin:read'])
    const { access_token } = await app.tokens('admin:read', toAdminApi())
    const seen = await server.clients.find(app.clientId)
    if (seen === undefined) throw new Error('The client is gone')
    await server.clients.update(app.clientId, { scopes: null }, { seen })
    expect(await readsUsers(access_token)).toBe(403)
  })

  it('ends at once for a client with client credentials that loses it', async () => {
    const { clientId, clientSecret = '' } = await server.clients.add({
      ...{ clientName: 'User sync', redirectUris: [], grantTypes: ['client_credentials'] },
      clientCredentialsScopes: ['admin:read', 'admin:write'],
    })
    const body = new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
      ...toAdminApi(),
    })
    const answer = await fetch(`${server.baseUrl}/api/oauth/token`, { method: 'POST', body })
    const { access_token } = await answer.json()
    expect(await readsUsers(access_token)).toBe(200)
    const seen = await server.clients.find(clientId)
    if (seen === undefined) throw new Error('The client is gone')
    await server.clients.update(clientId, { clientCredentialsScopes: ['admin:write'] }, { seen })
    expect(await readsUsers(access_token)).toBe(403)
  })
})

describe('a grant of the admin API ends', () => {
  /** In a browser of its own. */
  async function withGrant() {
    await server.accounts.setAdmin(DANA.id, true)
    const app = await added(['admin:read'])
    const browser = new PasskeyBrowser(server.baseUrl)
    const verifier = 'v'.repeat(43)
    const code_challenge = createHash('sha256').update(verifier).digest('base64url')
    const url = app.authorizationUrl({ scope: 'admin:read', code_challenge, ...toAdminApi() })
    const consent = await browser.byPassword(await browser.go(url))
    const answer = await browser.submit(consent, 'ticket', { decision: 'allow' })
    const code = answer.url.searchParams.get('code') ?? ''
    const { access_token = '' } = await app.redeem({ code, verifier })
    const signOut = () => browser.go('/logout', { return_to: '/' })
    return { signOut, status: () => readsUsers(access_token) }
  }

  it.each([
    ['the mark admin is taken away', () => server.accounts.setAdmin(DANA.id, false)],
    ['an operator changes the password', () => server.accounts.setPassword(DANA.id, DANA.password)],
    ['an operator signs the admin out', () => server.accounts.endSessions(DANA.id, 'operator')],
    ['the admin signs out everywhere', () => server.accounts.endSessions(DANA.id, 'user')],
  ])('when %s', async (_, change) => {
    const { status } = await withGrant()
    expect(await status()).toBe(200)
    await change()
    expect(await status()).toBe(401)
  })

  it.each(['before', 'after'])(
    'when the mark admin is taken away once more, if the store failed %s the session ended',
    async (when) => {
      const { status } = await withGrant()
      const admin = async () => (await server.directory.find(DANA.id))?.admin
      const { list } = server.store.grants
      const failing = vi.spyOn(server.store.grants, 'list').mockImplementation(async (...parameters) => {
        if (when === 'before' || !(await admin())) throw new Error('down')
        // As if it were opened just now.
        return { ...(await list(...parameters)), grants: [] }
      })
      onTestFinished(() => failing.mockRestore())
      const change = () => server.accounts.setAdmin(DANA.id, false)
      await expect(change()).rejects.toMatchObject({ error: 'temporarily_unavailable' })
      expect(await admin()).toBe(when === 'before')
      failing.mockRestore()
      expect(await change()).toBe(true)
      await server.accounts.setAdmin(DANA.id, true)
      expect(await status()).toBe(401)
    },
  )

  it('when the admin signs out of the browser in which it began, and not of another one', async () => {
    const [one, other] = [await withGrant(), await withGrant()]
    await one.signOut()
    expect([await one.status(), await other.status()]).toEqual([401, 200])
  })
})
