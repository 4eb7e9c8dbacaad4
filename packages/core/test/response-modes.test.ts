import type { Feature, HttpResponse } from '@grantkit/core'
import { type EncodedResponseMode, type ResponseMode, ResponseModes } from '@grantkit/core/feature'
import { describe, expect, it } from 'vitest'
import { authorizationQuery, authorize, decide, redirectOf, register } from './client.ts'
import { openService, REDIRECT_URI } from './service.ts'

/** How answers reach a client where a feature brings modes of its own. */

/** A page that says all that it was made of. */
const carried: ResponseMode = {
  name: 'paper',
  redirects: false,
  fits: (redirectUri) => redirectUri.startsWith('http'),
  answer: ({ client: { clientId }, redirectUri }, parameters, { locale }) => ({
    ...{ status: 200, headers: {}, body: JSON.stringify({ clientId, redirectUri, parameters, locale }) },
  }),
}
const sealed = (name: string, carrier: string): EncodedResponseMode => ({
  ...{ name, carrier },
  encode: async ({ client }, { iss, ...others }) => ({
    sealed: `${client.clientId} ${Object.keys(others)}`,
    iss,
  }),
})
const MODES = [sealed('sealed', 'query'), sealed('paper.sealed', 'paper'), sealed('air.sealed', 'air')]

const opened = (modes: readonly (ResponseMode | EncodedResponseMode)[] = [carried, ...MODES]) => {
  const feature: Feature = () => ({ responseModes: new ResponseModes(modes) })
  const shown = { status: 200, headers: {}, body: 'another page' }
  return openService({ features: [feature], callbackPage: () => shown })
}
const openedWithClient = async () => {
  const service = opened()
  const { clientId } = await register(service)
  const ask = (overrides: Record<string, string | undefined>) =>
    authorize(service, authorizationQuery(clientId, overrides))
  return { service, clientId, ask }
}
const paperOf = ({ body }: HttpResponse) => JSON.parse(body)

it('the metadata has the modes of the features, and none whose carrier is not there', () => {
  const { response_modes_supported } = opened().server.metadata
  expect(response_modes_supported).toEqual(['query', 'paper', 'sealed', 'paper.sealed'])
  const alone = opened(MODES).server.metadata
  expect(alone.response_modes_supported).toEqual(['query', 'sealed'])
})

it.each([
  ['query', { ...carried, name: 'query' }],
  ['paper', carried],
])('two features cannot bring one mode: %s', (name, mode) => {
  expect(() => opened([carried, mode])).toThrow(`features: responseModes has ${name} twice`)
})

describe('a mode that answers by a page', () => {
  it('has the parameters, the client and the language, and no redirect follows the consent form', async () => {
    const { service, clientId, ask } = await openedWithClient()
    await ask({ response_mode: 'paper' })
    expect(service.shown.consent?.formActionSources).toEqual([])
    expect(service.shown.consent).not.toHaveProperty('canShowCallback')
    const answer = await decide(service, { callback: 'show' })
    expect(paperOf(answer)).toEqual({
      ...{ clientId, redirectUri: REDIRECT_URI, locale: 'en' },
      parameters: { code: expect.any(String), state: 'a state', iss: service.server.issuer },
    })
  })

  it('has the denial, and errors that come before any page', async () => {
    const { service, ask } = await openedWithClient()
    await ask({ response_mode: 'paper' })
    const denied = paperOf(await decide(service, { decision: 'deny' }))
    expect(denied.parameters).toMatchObject({ error: 'access_denied', state: 'a state' })
    for (const wrong of [{ scope: 'unknown' }, { prompt: 'none' }, { response_type: undefined }]) {
      const { parameters } = paperOf(await ask({ response_mode: 'paper', ...wrong }))
      expect(parameters, JSON.stringify(wrong)).toMatchObject({ error: expect.any(String), state: 'a state' })
    }
  })

  it('is refused by a redirect for a redirect URI that it does not fit', async () => {
    const service = opened()
    const redirectUri = 'com.example.app:/cb'
    const { clientId } = await service.server.clients.add({ redirectUris: [redirectUri], clientName: 'App' })
    const query = authorizationQuery(clientId, { redirect_uri: redirectUri, response_mode: 'paper' })
    expect(redirectOf(await authorize(service, query))).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining(
        'response_mode must be one of query, sealed. In ASP.NET Core',
      ),
    })
  })
})

describe('an encoded mode', () => {
  it('sends what it made of the answer by its carrier', async () => {
    const { service, clientId, ask } = await openedWithClient()
    const expected = { sealed: `${clientId} code,state`, iss: service.server.issuer }
    await ask({ response_mode: 'sealed' })
    expect(service.shown.consent?.formActionSources).toEqual(['http://127.0.0.1:7001'])
    expect(redirectOf(await decide(service))).toEqual(expected)
    await ask({ response_mode: 'paper.sealed', state: undefined })
    const byPaper = paperOf(await decide(service))
    expect(byPaper.parameters).toEqual({ ...expected, sealed: `${clientId} code,state` })
  })

  it('sends errors as it sends codes', async () => {
    const { clientId, ask } = await openedWithClient()
    const refused = redirectOf(await ask({ response_mode: 'sealed', scope: 'unknown' }))
    expect(refused.sealed).toBe(`${clientId} error,error_description,state`)
  })
})

const SEALED_ALONE = {
  reason: 'sealed_alone',
  error: 'invalid_request',
  description: 'Ask for it',
  status: 400,
}

it('a client that requires some modes gets no answer by another, not even to a request that names no mode', async () => {
  const required = MODES.map((mode) => ({ ...mode, requiredBy: () => SEALED_ALONE }))
  const service = opened([carried, ...required])
  const { clientId } = await register(service)
  const sealedError = { sealed: `${clientId} error,error_description,state` }
  for (const response_mode of [undefined, 'query', 'paper', 'fragment'])
    expect(
      redirectOf(await authorize(service, authorizationQuery(clientId, { response_mode }))),
      response_mode,
    ).toMatchObject(sealedError)
  const refused = service.events.find(({ type }) => type === 'refused')
  const detail = 'response_mode must be one of sealed, paper.sealed'
  expect(refused).toMatchObject({ reason: 'sealed_alone', detail })
  await authorize(service, authorizationQuery(clientId, { response_mode: 'sealed' }))
  expect(redirectOf(await decide(service)).sealed).toBe(`${clientId} code,state`)
})

it.each(['air.sealed', 'fragment'])('a mode that is not there is refused by query: %s', async (mode) => {
  const { ask } = await openedWithClient()
  expect(redirectOf(await ask({ response_mode: mode }))).toMatchObject({ error: 'invalid_request' })
})
