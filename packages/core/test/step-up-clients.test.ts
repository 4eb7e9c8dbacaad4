import { type Route, toFetchHandler } from '@grantkit/core/adapter'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { expect, it } from 'vitest'
import { authorize, decide } from './client.ts'
import { ISSUER, REDIRECT_URI } from './service.ts'
import { openStepUp, type StepUpService } from './step-up-service.ts'

/** Step-up with the clients that apps use: one 401, one new authorization, and the call works. */

const API = `${ISSUER}/pay`

/** The fetch of an app: the server, and an API of which one route needs a strong and recent sign-in. */
function fetchOf({ service, guard }: StepUpService) {
  const api = guard.requiring({ acr: 'phr', maxAge: 300 })
  const pay: Route['handle'] = async (request) => {
    const access = await api.access(request, 'courses:write')
    return access.kind === 'refused' ? access.response : { status: 200, headers: {}, body: 'paid' }
  }
  const routes = [...service.server.routes, { path: '/pay', methods: ['POST'], handle: pay }]
  const handler = toFetchHandler({ routes })
  return (url: string, init: object) => handler(new Request(url, init))
}

/** The browser of the user, who allows it. */
async function browse({ service }: StepUpService, url: URL, cookie: string): Promise<URL> {
  await authorize(service, url.search.slice(1), { cookie })
  return new URL(String((await decide(service, {}, { cookie })).headers.location))
}

it('openid-client mends the call of an API with acr_values, max_age and scope of the challenge', async () => {
  const open = await openStepUp()
  const { client, signedIn } = open
  const customFetch = fetchOf(open)
  const config = await openid.discovery(
    new URL(ISSUER),
    client.clientId,
    client.clientSecret,
    openid.ClientSecretPost(client.clientSecret),
    { [openid.customFetch]: customFetch },
  )
  const authorization = async (cookie: string, parameters: Record<string, string>) => {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const code_challenge = await openid.calculatePKCECodeChallenge(pkceCodeVerifier)
    const sent = { redirect_uri: REDIRECT_URI, code_challenge, code_challenge_method: 'S256', ...parameters }
    const url = openid.buildAuthorizationUrl(config, sent)
    return openid.authorizationCodeGrant(config, await browse(open, url, cookie), {
      pkceCodeVerifier,
      ...(parameters.max_age && { maxAge: Number(parameters.max_age) }),
    })
  }
  const call = (token: string) => openid.fetchProtectedResource(config, token, new URL(API), 'POST')

  const weak = await authorization(signedIn('pwd'), { scope: 'openid courses:read' })
  // The API needs another scope too: its first answer says all.
  const thrown = await call(weak.access_token).catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(openid.WWWAuthenticateChallengeError)
  const [{ parameters }] = (thrown as openid.WWWAuthenticateChallengeError).cause as [
    openid.WWWAuthenticateChallengeError['cause'][0],
  ]
  expect(parameters).toMatchObject({ acr_values: 'phr', max_age: '300', scope: 'courses:write' })

  const { acr_values = '', max_age = '', scope } = parameters as Record<string, string>
  const asked = { scope: `openid ${scope}`, acr_values, max_age }
  const strong = await authorization(signedIn('phr', 'hwk'), asked)
  expect(strong.claims()).toMatchObject({ acr: 'phr', amr: ['hwk'] })
  expect(await (await call(strong.access_token)).text()).toBe('paid')
})

it('oauth4webapi reads the challenge as a WWWAuthenticateChallengeError, and the unmet error of the redirect', async () => {
  const open = await openStepUp()
  const { client, service, signedIn, tokens, query } = open
  const { access_token } = await tokens(signedIn('pwd'), { scope: 'courses:write' })
  const options = { [oauth.customFetch]: fetchOf(open) }
  const thrown = await oauth
    .protectedResourceRequest(access_token, 'POST', new URL(API), undefined, undefined, options)
    .catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
  const { status, cause } = thrown as oauth.WWWAuthenticateChallengeError
  expect([status, cause[0]]).toMatchObject([
    401,
    {
      scheme: 'bearer',
      parameters: { error: 'insufficient_user_authentication', acr_values: 'phr', max_age: '300' },
    },
  ])

  const issuer = new URL(ISSUER)
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))
  expect(as.acr_values_supported).toEqual(['pwd', 'mfa', 'phr'])
  const answer = await authorize(service, query({ acr_values: 'urn:none' }), { cookie: signedIn('phr') })
  const validate = () =>
    oauth.validateAuthResponse(
      as,
      { client_id: client.clientId },
      new URL(String(answer.headers.location)),
      'a state',
    )
  expect(validate).toThrow(expect.objectContaining({ error: 'unmet_authentication_requirements' }))
})
