import { softwareAuthenticator } from '@grantkit/test-servers/software-authenticator'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { PasskeyBrowser, type Shown } from './passkey-browser.ts'
import { DANA } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** What an admin may do after a sign-in with a password, and what after one with a passkey. */

let server: RunningServer
// Passkeys need the name of a host.
const open = (variables = {}) =>
  runServer((port) => ({ BASE_URL: `http://localhost:${port}`, ADMIN_API: 'on', ...variables }))
beforeAll(async () => {
  server = await open()
})
afterAll(() => server.close())

async function onItsOwn(variables: Readonly<Record<string, string>>): Promise<void> {
  const shared = server
  server = await open(variables)
  onTestFinished(async () => {
    await server.close()
    server = shared
  })
}

/** An admin who has just signed in with the password, and a client. @param hasPasskey added before, in another browser */
async function withAdmin(hasPasskey: boolean) {
  await server.accounts.setAdmin(DANA.id, true)
  const passkey = softwareAuthenticator(server.baseUrl)
  const browser = new PasskeyBrowser(server.baseUrl)
  await browser.byPassword(await browser.go('/login'))
  if (hasPasskey) {
    await browser.addPasskey(passkey)
    onTestFinished(async () => {
      const [{ id } = { id: '' }] = await keys()
      await server.database.deleteFrom('passkey').where('id', '=', id).execute()
    })
  }
  const keys = () => server.database.selectFrom('passkey').selectAll().execute()
  const redirectUris = ['http://127.0.0.1:7001/callback']
  const { clientId } = await server.clients.add({
    clientName: 'Console',
    redirectUris,
    scopes: ['admin:write'],
  })
  const page = `/admin/client?id=${clientId}`
  const query = new URLSearchParams({
    ...{
      client_id: clientId,
      response_type: 'code',
      scope: 'admin:write',
      redirect_uri: String(redirectUris),
    },
    ...{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' },
  })
  return { browser, passkey, keys, page, authorize: () => browser.go(`/oauth/authorize?${query}`) }
}

const isConsent = ({ url, status }: Shown) => [url.pathname, status].join(' ') === '/oauth/authorize 200'
const hasForms = ({ body }: Shown) => body.includes('name="action" value="rotate_secret"')

describe('an admin who has a passkey', () => {
  it('changes a client only after a sign-in with it, which the page asks for', async () => {
    const { browser, passkey, page } = await withAdmin(true)
    const shown = await browser.go(page)
    expect([hasForms(shown), shown.body.includes('with your passkey')]).toEqual([false, true])
    const forms = await browser.byPasskey(await browser.go(signInOf(shown)), passkey)
    expect([forms.url.pathname, hasForms(forms)]).toEqual(['/admin/client', true])
    const [, secret] =
      /<code>([\w-]{43})<\/code>/.exec(
        (await browser.submit({ ...forms, body: inPage(forms) }, 'overlap', { overlap: '0' })).body,
      ) ?? []
    expect(secret).toBeDefined()
  })

  it('gives no grant of the admin API after a sign-in with the password', async () => {
    const { browser, passkey, authorize } = await withAdmin(true)
    const login = await authorize()
    expect([login.url.pathname, login.body.includes('name="password"')]).toEqual(['/login', false])
    expect(isConsent(await browser.byPasskey(login, passkey))).toBe(true)
  })

  it('neither removes the passkey nor adds another one after a sign-in with the password', async () => {
    const { browser, keys, page } = await withAdmin(true)
    const account = await browser.go('/account')
    expect(account.body).not.toContain('/account/passkeys/remove')
    expect((await browser.go('/account/passkeys')).status).toBe(403)
    const [{ id } = { id: '' }] = await keys()
    const [, token = ''] =
      /name="ticket" value="([^"]+)"|name="token" value="([^"]+)"/.exec(account.body) ?? []
    await browser.go('/account/passkeys/remove', { token, id })
    expect(await keys()).toHaveLength(1)
    expect(hasForms(await browser.go(page))).toBe(false)
  })

  it('changes the password only after a sign-in with the passkey, which takes the place of the current password', async () => {
    const { browser, passkey } = await withAdmin(true)
    const before = await server.accounts.find(DANA.id)
    onTestFinished(async () => void (await server.accounts.setPassword(DANA.id, DANA.password)))
    const chosen = { new_password: 'a new password', new_password_again: 'a new password' }
    const stolen = await browser.go('/account')
    expect(stolen.body).not.toContain('/account/password')
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(stolen.body) ?? []
    const refused = await browser.go('/account/password', { token, current_password: 'demo', ...chosen })
    expect([refused.status, refused.body.includes('sign in again first')]).toEqual([403, true])
    expect((await server.accounts.find(DANA.id))?.password).toBe(before?.password)
    await browser.byPasskey(await browser.go('/login?prompt=login'), passkey)
    const strong = await browser.go('/account')
    expect(strong.body).not.toContain('name="current_password"')
    const changed = await browser.submit(strong, 'new_password', chosen)
    expect([changed.status, changed.body.includes('Your password is changed')]).toEqual([200, true])
    expect(changed.body, 'the session is still one of the passkey').toContain('/account/passkeys/remove')
  })

  it('needs the password alone, if the operator has configured that', async () => {
    await onItsOwn({ ADMIN_ACR: 'pwd' })
    const { browser, page, authorize } = await withAdmin(true)
    expect([hasForms(await browser.go(page)), isConsent(await authorize())]).toEqual([true, true])
  })
})

describe('an admin without a passkey', () => {
  it('changes a client, and gives grants of the admin API, within five minutes of a sign-in', async () => {
    const { browser, page, authorize } = await withAdmin(false)
    expect([hasForms(await browser.go(page)), isConsent(await authorize())]).toEqual([true, true])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(hasForms(await browser.go(page))).toBe(false)
    const login = await authorize()
    expect(login.url.pathname).toBe('/login')
    expect(isConsent(await browser.byPassword(login))).toBe(true)
  })

  it('must add one first, if the operator has configured that', async () => {
    await onItsOwn({ ADMIN_ACR: 'phr' })
    const { browser, passkey, page, authorize } = await withAdmin(false)
    expect(hasForms(await browser.go(page))).toBe(false)
    expect((await authorize()).body).not.toContain('name="password"')
    await browser.addPasskey(passkey)
    expect(
      hasForms(await browser.byPasskey(await browser.go(signInOf(await browser.go(page))), passkey)),
    ).toBe(true)
  })
})

function signInOf({ body }: Shown): string {
  return (/href="(\/login\?[^"]+prompt=login[^"]*)"/.exec(body)?.[1] ?? '').replaceAll('&amp;', '&')
}

/** The forms of the admin pages have no action: they are sent to the page itself. */
function inPage({ url, body }: Shown): string {
  return body.replaceAll('<form method="post"', `<form method="post" action="${url.pathname}${url.search}"`)
}
