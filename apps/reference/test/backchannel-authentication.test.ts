import { CIBA_GRANT } from '@grantkit/core/backchannel-authentication'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { formOfPage } from '@grantkit/testkit/client'
import * as oidc from 'openid-client'
import { afterAll, describe, expect, it } from 'vitest'
import { runService } from './service.ts'

/** An agent without a browser, by an independent client library. */

const SCOPE = 'openid courses:read'

const service = await runService({ BACKCHANNEL_AUTHENTICATION: 'on' })
afterAll(() => service.close())

async function discover() {
  const { clientId, clientSecret = '' } = await service.clients.add({
    clientName: 'Night agent',
    redirectUris: [],
    grantTypes: [CIBA_GRANT, 'refresh_token'],
  })
  const options = { execute: [oidc.allowInsecureRequests] }
  const auth = oidc.ClientSecretPost(clientSecret)
  return oidc.discovery(new URL(service.baseUrl), clientId, undefined, auth, options)
}

/** The user opens the list, follows the only link, and decides. @returns the page of the request, and the last one */
async function answer(decision: 'allow' | 'deny'): Promise<readonly [string, string]> {
  const cookie = await sessionCookie(service.baseUrl)
  const read = async (path: string, body?: URLSearchParams) => {
    const method = body === undefined ? 'GET' : 'POST'
    const response = await fetch(new URL(path, service.baseUrl), {
      method,
      headers: { cookie },
      body: body ?? null,
    })
    return { status: response.status, headers: {}, body: await response.text() }
  }
  const [, href = ''] =
    /href="(\/oauth\/requests\?request=[\w-]+)"/.exec((await read('/oauth/requests')).body) ?? []
  const page = await read(href)
  const form = formOfPage(page)
  const fields = form.fields
    .filter(([name]) => name !== 'decision' && name !== 'never')
    .map((field) => [...field])
  const last = await read(form.action, new URLSearchParams([...fields, ['decision', decision]]))
  return [page.body, last.body]
}

describe('openid-client', () => {
  it.each(['demo@example.com', 'demo-account'])('asks for %s, polls, and gets tokens', async (login_hint) => {
    const config = await discover()
    const message = 'Order 17: a desk'
    const asked = await oidc.initiateBackchannelAuthentication(config, {
      ...{ scope: SCOPE, login_hint, binding_message: message },
    })
    expect(asked).toMatchObject({ expires_in: 300, interval: 5 })
    const [tokens, [page, last]] = await Promise.all([
      // Its interval is not waited for: that takes five seconds.
      oidc.pollBackchannelAuthenticationGrant(config, { ...asked, interval: 0.2 }),
      answer('allow'),
    ])
    expect(page).toContain(`“<bdi>${message}</bdi>”`)
    expect(last).toContain('The app has access')
    expect(tokens).toMatchObject({ scope: SCOPE, token_type: 'bearer' })
    expect(tokens.claims()).toMatchObject({ sub: 'demo-account', iss: service.baseUrl })
    const again = await oidc.initiateBackchannelAuthentication(config, {
      ...{ scope: SCOPE, id_token_hint: tokens.id_token ?? '' },
    })
    await Promise.all([
      oidc.pollBackchannelAuthenticationGrant(config, { ...again, interval: 0.2 }),
      answer('allow'),
    ])
  })

  it('gets access_denied if the user denied', async () => {
    const config = await discover()
    const asked = await oidc.initiateBackchannelAuthentication(config, {
      ...{ scope: SCOPE, login_hint: 'demo@example.com' },
    })
    const [, last] = await answer('deny')
    expect(last).toContain('Nothing got access')
    await expect(
      oidc.pollBackchannelAuthenticationGrant(config, { ...asked, interval: 0.1 }),
    ).rejects.toMatchObject({ error: 'access_denied' })
  })
})
