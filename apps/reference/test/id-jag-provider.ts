import { createServer } from 'node:http'
import { freePort } from '@grantkit/test-servers/free-port'
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import OidcProvider, { type KoaContextWithOIDC } from 'oidc-provider'

/**
 * An identity provider of an organization: oidc-provider, with the token exchange for ID-JAGs added, which it does not have
 * (draft-ietf-oauth-identity-assertion-authz-grant-04, 4.3).
 */

export const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const IDP_CLIENT = { client_id: 'assistant-at-idp', client_secret: 'the secret at the provider' }

export interface IdJagProvider {
  readonly issuer: string
  /** Which of its clients is which client at other servers; it decides what they get, as an administrator would. */
  readonly policy: { clientId: string; scope: string }
  close(): Promise<void>
}

const PARAMETERS = [
  'audience',
  'resource',
  'scope',
  'subject_token',
  'subject_token_type',
  'requested_token_type',
]

/** @param callback the redirect URI of its client */
export async function runIdJagProvider(callback: string): Promise<IdJagProvider> {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: 'idp-1', alg: 'RS256', use: 'sig' }
  const grantTypes = ['authorization_code', TOKEN_EXCHANGE]
  const op = new OidcProvider(issuer, {
    clients: [
      {
        ...{ ...IDP_CLIENT, redirect_uris: [callback], grant_types: grantTypes },
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [key as never] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: async () => ({ sub }) }),
    cookies: { keys: ['a key of the tests'] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  })
  const policy = { clientId: '', scope: '' }
  let issued = 0
  op.registerGrantType(
    TOKEN_EXCHANGE,
    async (context: KoaContextWithOIDC) => {
      const { params = {}, client } = context.oidc
      if (client === undefined) throw new Error('The client is not known')
      await op.IdToken.validate(String(params.subject_token), client as never)
      const { sub } = decodeJwt(String(params.subject_token))
      const scope = String(params.scope ?? policy.scope)
      const claims = { client_id: policy.clientId, resource: params.resource, scope }
      const idJag = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: 'idp-1', typ: 'oauth-id-jag+jwt' })
        .setIssuer(issuer)
        .setSubject(String(sub))
        .setAudience(String(params.audience))
        .setJti(`jag-${++issued}`)
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey)
      context.body = {
        issued_token_type: ID_JAG,
        access_token: idJag,
        token_type: 'N_A',
        scope,
        expires_in: 300,
      }
    },
    PARAMETERS,
    [],
  )
  const answer = op.callback()
  const server = createServer(async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response)
    const { params } = await op.interactionDetails(request, response)
    const grant = new op.Grant({ accountId: 'U019488227', clientId: String(params.client_id) })
    grant.addOIDCScope(String(params.scope))
    const grantId = await grant.save()
    await op.interactionFinished(request, response, {
      login: { accountId: 'U019488227' },
      consent: { grantId },
    })
  }).listen(port, '127.0.0.1')
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return { issuer, policy, close }
}
