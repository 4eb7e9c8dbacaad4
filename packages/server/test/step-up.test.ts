import { createHash, randomBytes } from 'node:crypto'
import { softwareAuthenticator } from '@grantkit/test-servers/software-authenticator'
import { testClient } from '@grantkit/testkit/client'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { ServiceEvent } from '../src/events.ts'
import { PasskeyBrowser, type Shown } from './passkey-browser.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** STEP_UP=on: what an app may demand of a sign-in, what the sign-in page then offers, and what the tokens say. */

const events: ServiceEvent[] = []
const observed = { onEvent: (event: ServiceEvent) => void events.push(event) }
let server: RunningServer
beforeAll(async () => {
  // Passkeys need the name of a host.
  server = await started((port) => ({ BASE_URL: `http://localhost:${port}` }))
})
afterAll(() => server.close())

function started(more: (port: number) => Readonly<Record<string, string>>): Promise<RunningServer> {
  const settings = { STEP_UP: 'on', CLIENT_AUTHENTICATION: 'client_secret_post' }
  return runServer((port) => ({ ...settings, ...more(port) }), {}, observed)
}

/** A client, and a user who has a password and a passkey, in a browser without a session. */
async function open({ baseUrl } = server) {
  const passkey = softwareAuthenticator(baseUrl)
  const before = new PasskeyBrowser(baseUrl)
  await before.byPassword(await before.go('/login'))
  if (baseUrl === server.baseUrl) await before.addPasskey(passkey)
  const browser = new PasskeyBrowser(baseUrl)
  const metadata = { client_name: 'Bank', token_endpoint_auth_method: 'client_secret_post' }
  const client = await testClient(baseUrl, { metadata })
  const verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')
  return {
    browser,
    passkey,
    client,
    authorize: (parameters: Readonly<Record<string, string>> = {}) =>
      browser.go(client.authorizationUrl({ scope: 'openid notes:read', code_challenge, ...parameters })),
    allow: (page: Shown) => browser.submit(page, 'ticket', { decision: 'allow' }),
    /** What the tokens of this answer say of the sign-in. */
    async said({ url: { searchParams } }: Shown) {
      const { access_token = '', id_token = '' } = await client.redeem({
        code: searchParams.get('code') ?? '',
        verifier,
      })
      const { acr, amr } = decodeJwt(id_token)
      const introspected = Object.entries(await client.introspect(access_token))
      return { acr, amr, introspected: Object.fromEntries(introspected).acr }
    },
  }
}

const BY_PASSKEY = { acr: 'phr', amr: ['pop', 'user', 'mfa'], introspected: 'phr' }
const BY_PASSWORD = { acr: 'pwd', amr: ['pwd'], introspected: 'pwd' }
const hasPassword = ({ body }: Shown) => body.includes('name="password"')

describe('an app', () => {
  it('learns from the metadata which classes it may demand', async () => {
    const metadata = await fetch(`${server.baseUrl}/.well-known/openid-configuration`)
    expect(await metadata.json()).toMatchObject({ acr_values_supported: ['pwd', 'phr'] })
  })

  it('gets a token by passkey if it demands one, and is told how the user signed in', async () => {
    const { browser, passkey, authorize, allow, said } = await open()
    const consent = await browser.byPasskey(await authorize({ acr_values: 'phr' }), passkey)
    expect(await said(await allow(consent))).toEqual(BY_PASSKEY)
  })

  it('is told of a password too, and gets a stronger sign-in of the same session when it demands one', async () => {
    const { browser, passkey, authorize, allow, said } = await open()
    const first = await allow(await browser.byPassword(await authorize()))
    expect(await said(first)).toEqual(BY_PASSWORD)
    const stronger = await authorize({ acr_values: 'phr' })
    expect(stronger.url.pathname).toBe('/login')
    expect(await said(await allow(await browser.byPasskey(stronger, passkey)))).toEqual(BY_PASSKEY)
    const [before, after] = events.filter((event) => event.type === 'sign_in_succeeded').slice(-2)
    expect(after).toMatchObject({ signedInBy: 'passkey', firstId: before?.sessionId })
  })

  it('gets an error where no passkey is possible, after a sign-in in the usual way', async () => {
    const atAddress = await started(() => ({}))
    onTestFinished(() => atAddress.close())
    const { browser, authorize } = await open(atAddress)
    const login = await authorize({ acr_values: 'phr' })
    expect([hasPassword(login), login.body.includes('is not enough')]).toEqual([true, false])
    const answer = await browser.byPassword(login)
    expect(answer.url.searchParams.get('error')).toBe('unmet_authentication_requirements')
  })

  it('is told nothing about the sign-in without STEP_UP', async () => {
    const without = await runServer({ CLIENT_AUTHENTICATION: 'client_secret_post' })
    onTestFinished(() => without.close())
    const { browser, authorize, allow, said } = await open(without)
    const consent = await browser.byPassword(await authorize({ acr_values: 'phr' }))
    expect(await said(await allow(consent))).toEqual({
      acr: undefined,
      amr: undefined,
      introspected: undefined,
    })
  })
})

it('no page names a day for passkeys where none are required', async () => {
  const answer = await fetch(`${server.baseUrl}/login/passkey-notice?return_to=/account`, {
    redirect: 'manual',
  })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
})

describe('the sign-in page', () => {
  it('offers only the passkey if a password is not strong enough, and says why in the language of the user', async () => {
    const { authorize } = await open()
    const english = await authorize({ acr_values: 'phr' })
    expect(hasPassword(english)).toBe(false)
    expect(english.body).toContain(
      '<p class="notice" lang="en" dir="ltr"><strong>A password is not enough here.',
    )
    expect(english.body).toContain('Add one in <a href="/account#sign-in">your account</a>')
    const german = await authorize({ acr_values: 'phr', ui_locales: 'de' })
    expect(german.body).toContain('lang="de" dir="ltr"><strong>Hier genügt ein Passwort nicht.')
    const headers = { 'accept-language': 'ja' }
    const japanese = await fetch(`${server.baseUrl}/login?acr_values=phr`, { headers })
    expect(await japanese.text()).toContain('パスキーを使ってください')
  })

  it.each([undefined, 'phr pwd', 'pwd', ''])('offers every method for acr_values %s', async (acr_values) => {
    const { authorize } = await open()
    const page = await authorize(acr_values === undefined ? {} : { acr_values })
    expect([hasPassword(page), page.body.includes('data-passkey="get"')]).toEqual([true, true])
    expect(page.body).not.toContain('is not enough')
  })

  it('offers only a provider whose acr counts, where no passkey is possible', async () => {
    const provider = (id: string, trustAcr: boolean) => ({
      ...{ id, label: id, trustAcr, issuer: `https://${id}.example`, clientId: 'us' },
      clientSecret: { env: 'PARTNER_SECRET' },
    })
    const upstream = [provider('trusted', true), provider('other', false)]
    const atAddress = await runServer({ STEP_UP: 'on', PARTNER_SECRET: 'x' }, { upstream })
    onTestFinished(() => atAddress.close())
    const browser = new PasskeyBrowser(atAddress.baseUrl)
    const offered = async (path: string) => {
      const page = await browser.go(path)
      return [hasPassword(page), page.body.match(/Continue with \w+/g)]
    }
    expect(await offered('/login?acr_values=phr')).toEqual([false, ['Continue with trusted']])
    expect(await offered('/login')).toEqual([true, ['Continue with trusted', 'Continue with other']])
  })

  it('still offers only the passkey after one was rejected', async () => {
    const { browser, authorize } = await open()
    const login = await authorize({ acr_values: 'phr', ui_locales: 'fr' })
    const again = await browser.byPasskey(login, softwareAuthenticator(server.baseUrl))
    expect([again.status, hasPassword(again)]).toEqual([401, false])
    expect(again.body).toContain('La connexion avec cette clé d’accès a échoué. Veuillez réessayer.')
    expect(again.body).toContain('<html lang="fr"')
  })
})
