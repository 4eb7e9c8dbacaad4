import { loopbackOnly } from '@grantkit/core'
import { describe, expect, it } from 'vitest'
import { authorizationQuery, authorize, bodyOf, decide } from './client.ts'
import { openService } from './service.ts'

/** Redirect URIs that a self-registered client may use, and the rejection of all others. */

const CB = 'http://127.0.0.1:7001/cb'

const register = (redirect_uris: unknown) =>
  openService().send('POST', '/api/oauth/register', { json: { redirect_uris } })

async function expectRefused(redirect_uris: unknown, about = JSON.stringify(redirect_uris)): Promise<void> {
  const answer = await register(redirect_uris)
  expect([answer.status, bodyOf(answer).error], about?.slice(0, 80)).toEqual([400, 'invalid_redirect_uri'])
}

describe('a redirect URI of a client that registers itself', () => {
  it('RR-03: a query with parameters of an authorization response is rejected, whatever the policy allows', async () => {
    const names = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']
    const disguised = ['%63ode', 'c%6Fde', 'CODE', 'Error', 'code[]', 'code%5B0%5D', '+code', 'code%20']
    const queries = [...names, ...disguised].flatMap((name) => [
      name,
      `${name}=x`,
      `a=1&${name}=x`,
      `a=1;${name}=x`,
    ])
    const service = openService({ redirectUriPolicy: loopbackOnly({ query: true }) })
    const registerAs = (uri: string) =>
      service.send('POST', '/api/oauth/register', { json: { redirect_uris: [uri] } })
    const arrange = (uri: string) =>
      service.server.clients.add({ clientName: 'Zap', redirectUris: [`https://zap.example/cb?${uri}`] })
    for (const query of queries) {
      expect(bodyOf(await registerAs(`${CB}?${query}`)).error, query).toBe('invalid_redirect_uri')
      await expect(arrange(query), query).rejects.toThrow('would be mixed up with the answer')
    }
    for (const query of ['', 'a=1', 'codes=1', 'a=code', 'zip_code=1']) {
      expect((await registerAs(`${CB}?${query}`)).status, query).toBe(201)
      await expect(arrange(query), query).resolves.toBeDefined()
    }
  })

  it('RR-11: a value that is no list, or a list that is too long, is rejected completely', async () => {
    const lists = [undefined, [], 'str', null, [null], [1], [[CB]], {}, ['']]
    const tooMuch = [Array(11).fill(CB), Array(10_000).fill('a'), [`${CB}/${'x'.repeat(10_000)}`]]
    for (const list of [...lists, ...tooMuch]) await expectRefused(list)
  })

  it('D6: a list with https among loopback addresses is rejected, with a result for each', async () => {
    expect(bodyOf(await register([CB, 'https://app.example/cb']))).toEqual({
      error: 'invalid_redirect_uri',
      error_description:
        'redirect_uris[0]: accepted; redirect_uris[1]: not a loopback address such as http://127.0.0.1:8080/callback',
    })
  })
})

describe('a policy that accepts every URI', () => {
  const redirectUriPolicy = (accepted: readonly string[]) => ({ accepted })

  it.each([
    ['with a fragment', 'http://127.0.0.1/cb#a'],
    ['with an empty fragment', 'app:/cb#'],
    ['that is not absolute', '/cb'],
    ['with a character that no header carries', 'app:/cb\u20ac'],
    ['with a line break', 'app:/cb\nx: y'],
    ['that runs a script', 'javascript:alert(1)'],
  ])('allows no redirect URI %s', async (_, uri) => {
    const service = openService({ redirectUriPolicy })
    const answer = await service.send('POST', '/api/oauth/register', { json: { redirect_uris: [CB, uri] } })
    expect(bodyOf(answer)).toMatchObject({
      error: 'invalid_redirect_uri',
      error_description: expect.stringContaining('redirect_uris[1]'),
    })
    const added = service.server.clients.add({ clientName: 'Zap', redirectUris: [uri] })
    await expect(added).rejects.toMatchObject({ error: 'invalid_redirect_uri' })
  })
})

describe('the URI of a native app', () => {
  const redirectUriPolicy = (uris: readonly string[]) => {
    const others = uris.filter((uri) => !uri.startsWith('cursor://'))
    return others.length === 0 ? { accepted: uris } : { refused: `not ${others}` }
  }

  it.each([
    ['of a private-use scheme', 'com.example.app:/cb', 'com.example.app:'],
    ['that the policy accepts', 'cursor://anysphere.cursor/cb', 'cursor:'],
  ])('%s is for an integration, and its page may redirect there', async (_, redirect_uri, source) => {
    const service = openService({ redirectUriPolicy })
    const editor = {
      clientName: 'Editor',
      redirectUris: [redirect_uri],
      tokenEndpointAuthMethod: 'none',
    }
    const client = await service.server.clients.add(editor)
    expect(client).toMatchObject({ applicationType: 'native' })
    await authorize(service, authorizationQuery(client.clientId, { redirect_uri }))
    expect(service.shown.consent?.formActionSources).toEqual([source])
    const { location } = (await decide(service)).headers
    expect(String(location).split('?code=')[0]).toBe(redirect_uri)
  })

  it('has any scheme that the operator names, and none that the browser handles itself', async () => {
    const add = (uri: string) =>
      openService().server.clients.add({ clientName: 'Editor', redirectUris: [uri] })
    await expect(add('cursor://anysphere.cursor/cb')).resolves.toMatchObject({ applicationType: 'native' })
    const schemes = ['javascript', 'data', 'vbscript', 'file', 'blob', 'filesystem', 'about', 'view-source']
    for (const scheme of [...schemes, 'intent', 'ms-word', 'ws', 'wss', 'http', 'JavaScript'])
      await expect(add(`${scheme}://app.example/cb`), scheme).rejects.toThrow('must be https, loopback or')
  })
})
