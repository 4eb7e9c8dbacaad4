import { type Client, type FeatureFactory, loopbackOnly } from '@grantkit/core'
import { describe, expect, it } from 'vitest'
import { authorizationQuery, authorize, decide, redeem, redirectOf } from './client.ts'
import { openSchool, REDIRECT_URI } from './school.ts'

/** A client that is described by a document: it lists redirect URIs for every server that it may meet. */

const ID = 'https://editor.example/client.json'
const ON_THE_WEB = 'https://editor.example/redirect'
const EDITOR: Client = {
  clientId: ID,
  origin: 'document',
  clientName: 'Editor',
  applicationType: 'native',
  redirectUris: ['http://localhost/callback', 'http://127.0.0.1/callback', ON_THE_WEB],
  tokenEndpointAuthMethod: 'none',
  grantTypes: ['authorization_code'],
  idTokenSignedResponseAlg: 'RS256',
  createdAt: 0,
  expiresAt: Number.MAX_SAFE_INTEGER,
}
const documents: FeatureFactory = () => ({
  clientSources: [{ owns: (id) => id === ID, find: async () => EDITOR }],
})

describe('a client that is described by a document', () => {
  it.each([REDIRECT_URI, 'http://localhost:49152/callback'])('gets a code at %s', async (redirect_uri) => {
    const school = openSchool({ features: [documents], redirectUriPolicy: loopbackOnly({ mixed: 'refuse' }) })
    await authorize(school, authorizationQuery(ID, { redirect_uri }))
    const { code = '' } = redirectOf(await decide(school))
    expect((await redeem(school, { client_id: ID }, code, { redirect_uri })).status).toBe(200)
  })

  it('gets a page at a listed URI that the policy does not accept', async () => {
    const school = openSchool({ features: [documents] })
    const answer = await authorize(school, authorizationQuery(ID, { redirect_uri: ON_THE_WEB }))
    expect([answer.status, answer.headers.location]).toEqual([400, undefined])
    expect(school.shown.error).toMatchObject({
      error: 'invalid_redirect_uri',
      reason: 'redirect_uri_not_accepted',
    })
  })

  it('gets a page at a URI that the policy accepts and nobody listed', async () => {
    const school = openSchool({ features: [documents] })
    await authorize(school, authorizationQuery(ID, { redirect_uri: 'http://[::1]/callback' }))
    expect(school.shown.error?.reason).toBe('redirect_uri_not_registered')
  })

  it('may be known by an id of 512 characters', async () => {
    const school = openSchool()
    const client_id = `https://editor.example/${'x'.repeat(489)}`
    const { expiresAt } = EDITOR
    await school.store.clients.insert(client_id, { ...EDITOR, clientId: client_id }, expiresAt)
    await authorize(school, authorizationQuery(client_id))
    expect(school.shown.consent?.client.clientId).toBe(client_id)
    const { code = '' } = redirectOf(await decide(school))
    expect((await redeem(school, { client_id }, code)).status).toBe(200)
  })
})
