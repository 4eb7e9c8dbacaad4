import { runService } from '@grantkit/reference/test/service'
import { formEncoded } from '@grantkit/testkit/client'
import { afterAll, describe, expect, it } from 'vitest'
import { browserSteps, stepsOfModules } from './browser-steps.ts'
import { at, INSTALLATIONS } from './installations.ts'
import { StepsBrowser } from './steps-browser.ts'

/** The steps that the suite of the OpenID Foundation does at our pages, at the real pages. */

const elsewhere = { suite: 'https://suite.example.com', gateway: '', alias: 'test' }
const service = await runService(INSTALLATIONS.openid.settings({ issuer: '', ...elsewhere }))
const to = { issuer: service.baseUrl, ...elsewhere }
const client_id = await added(true)
afterAll(() => service.close())

async function added(rememberConsent: boolean): Promise<string> {
  const { clientId } = await service.clients.add({
    clientName: 'Suite',
    redirectUris: [at(to, 'callback')],
    postLogoutRedirectUris: [at(to, 'post_logout_redirect')],
    pkceOptional: true,
    rememberConsent,
  })
  return clientId
}

function browserOf(module = 'oidcc-server'): StepsBrowser {
  return new StepsBrowser(to.issuer, stepsOfModules(to)[module]?.browser ?? browserSteps(to))
}

const authorization = (redirect_uri = at(to, 'callback'), prompt?: string, client = client_id) =>
  `${to.issuer}/oauth/authorize?${formEncoded({
    ...{ response_type: 'code', client_id: client, redirect_uri, prompt },
    ...{ scope: 'openid profile', state: 's', nonce: 'n' },
  })}`

const logout = (fields: Record<string, string>) => `${to.issuer}/oauth/logout?${new URLSearchParams(fields)}`

describe('the browser of the OpenID suite', () => {
  it('signs in, allows everything, and returns to the suite', async () => {
    const browser = browserOf()
    expect(await browser.visit(authorization())).toMatch(/\/test\/a\/test\/callback\?code=/)
    // With the session and without a page.
    expect(await browser.visit(authorization())).toMatch(/\/callback\?code=/)
  })

  it('returns to the suite by a form, where its plan asks for one', async () => {
    const browser = browserOf()
    for (const _ of ['with the pages', 'without'])
      expect(await browser.visit(`${authorization()}&response_mode=form_post`)).toBe(at(to, 'callback'))
  })

  it('signs in again where a module demands it', async () => {
    const browser = browserOf('oidcc-prompt-login')
    await browser.visit(authorization())
    expect(await browser.visit(authorization(undefined, 'login'))).toMatch(/\/callback\?code=/)
  })

  it('denies where a module demands it', async () => {
    const url = authorization(undefined, undefined, await added(false))
    const browser = browserOf('fapi2-security-profile-final-user-rejects-authentication')
    expect(await browser.visit(url)).toContain('error=access_denied')
  })

  it('finds the error page for an invalid redirect URI', async () => {
    const invalid = authorization('https://suite.example.com/other')
    expect(await browserOf('oidcc-ensure-registered-redirect-uri').visit(invalid)).toBe(invalid)
    await expect(browserOf().visit(invalid)).rejects.toThrow('Consent: no button')
  })

  it('confirms the logout, and finds the page of a user who is signed out', async () => {
    const browser = browserOf('oidcc-rp-initiated-logout-no-params')
    await browser.visit(authorization())
    await browser.visit(logout({ state: 's' }))
    await expect(browser.visit(authorization(undefined, 'none'))).resolves.toContain('error=login_required')
  })

  it('finds the error page for a post-logout redirect URI that is not registered', async () => {
    const browser = browserOf('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri')
    const url = logout({ client_id, post_logout_redirect_uri: at(to, 'other') })
    expect(await browser.visit(url)).toBe(url)
  })
})
