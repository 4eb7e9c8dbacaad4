import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientDocuments } from '@grantkit/core/client-documents'
import { JWT_BEARER, jwtBearer } from '@grantkit/core/jwt-bearer'
import { describe, expect, it } from 'vitest'
import { IDP, idJag, MCP, openForOrganization, present, TRUST } from './assertions.ts'
import { authorizationQuery, authorize, decide, type TokenAnswer, tokensFor } from './client.ts'
import { ISSUER, openService, REDIRECT_URI } from './service.ts'
import { assertionForm, assertionOf, newKey } from './signed-assertions.ts'

/** What users see of grants by an ID-JAG, and clients that are described by a document. */

describe('the grants of a user', () => {
  it('have the issuer that allowed them by an ID-JAG, and the user can end them', async () => {
    const { service, assistant } = await openForOrganization({ trust: { resources: [ISSUER] } })
    const claims = { resource: ISSUER }
    const next = async () =>
      (await present(service, await idJag(service, assistant, { claims }), assistant)).body
    const tokens = [await next(), await next()] as unknown as TokenAnswer[]
    const { grants } = await service.server.grants.list('alice')
    const authority = expect.objectContaining({ issuer: IDP })
    const each = { clientId: assistant.clientId, origin: 'assertion', authority }
    expect(grants).toMatchObject([each, each])
    for (const { id } of grants) await service.server.grants.revoke('alice', id)
    for (const { access_token } of tokens) expect((await service.callApi(access_token)).kind).toBe('refused')
  })

  it('have no issuer if the user allowed them', async () => {
    const { service } = await openForOrganization()
    const app = await service.server.clients.add({ clientName: 'App', redirectUris: [REDIRECT_URI] })
    await tokensFor(service, app)
    const { grants } = await service.server.grants.list('alice')
    expect(grants).toMatchObject([{ clientId: app.clientId, authority: undefined }])
  })
})

describe('the consent page', () => {
  it('takes no grant by an ID-JAG for an earlier consent: it is shown, and marks no scope', async () => {
    const client = {
      ...{ redirectUris: [REDIRECT_URI], rememberConsent: true },
      grantTypes: ['authorization_code', 'refresh_token', JWT_BEARER],
    }
    const { service, assistant } = await openForOrganization({ client })
    expect((await present(service, await idJag(service, assistant), assistant)).status).toBe(200)
    const query = authorizationQuery(assistant.clientId, { scope: 'courses:read', resource: MCP })
    expect(await authorize(service, query)).toMatchObject({ status: 200, body: 'consent' })
    expect(service.shown.consent?.scopes).toEqual([expect.objectContaining({ allowedBefore: false })])
    await decide(service)
    expect((await authorize(service, query)).status, 'what the user allowed is remembered').toBe(303)
  })
})

describe('a client with a metadata document', () => {
  const ID = 'https://assistant.dev/client.json'

  async function open(members: object = {}, trust: object = {}) {
    const key = await newKey()
    const document = {
      ...{ client_id: ID, client_name: 'Assistant', redirect_uris: ['http://127.0.0.1/callback'] },
      ...{ grant_types: ['authorization_code', JWT_BEARER], token_endpoint_auth_method: 'private_key_jwt' },
      ...{ jwks: { keys: [key.jwk] }, ...members },
    }
    const trusts = [{ ...TRUST, clients: [ID], ...trust }]
    const features = [
      clientDocuments({ pinned: [document] }),
      clientAssertion(),
      jwtBearer({ idJag: { trusts, subjectOf: async () => 'alice' } }),
    ]
    const service = openService({ features })
    const send = async (form: Record<string, string>) =>
      present(service, await idJag(service, { clientId: ID }), undefined, form)
    const proof = async () => assertionForm(await assertionOf(service, key, ID))
    return { send, proof }
  }

  it('presents an ID-JAG for its URL, and proves its keys', async () => {
    const { send, proof } = await open()
    expect((await send(await proof())).status).toBe(200)
    expect((await send({ client_id: ID })).status).toBe(401)
  })

  it('must be named by the trust', async () => {
    const { send, proof } = await open({}, { clients: 'integrations' })
    expect((await send(await proof())).reason).toBe('jwt_grant_client')
  })

  it('must have the grant type in its document', async () => {
    const { send, proof } = await open({ grant_types: ['authorization_code'] })
    expect((await send(await proof())).error).toBe('unauthorized_client')
  })

  it('that may be public must authenticate here all the same', async () => {
    const both = { token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] }
    const { send, proof } = await open(both)
    expect((await send({ client_id: ID })).reason).toBe('jwt_grant_client_public')
    expect((await send(await proof())).status).toBe(200)
  })
})
