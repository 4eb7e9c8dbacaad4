import { publicDocument } from '../document.ts'
import { addressOf } from '../paths.ts'
import { claimsOfScopes } from '../rules/claims.ts'
import type { ServerContext } from '../server-context.ts'

/** The document at both well-known addresses (RFC 8414 2, OpenID Connect Discovery 3), derived from what the server runs on. */
export function serverMetadata(server: ServerContext): ReturnType<typeof publicDocument> {
  return publicDocument(metadataOf(server))
}

function metadataOf(server: ServerContext): object {
  const { issuer, paths } = server
  const scopes = Object.keys(server.scopes)
  return {
    issuer,
    authorization_endpoint: addressOf(issuer, paths.authorize),
    token_endpoint: addressOf(issuer, paths.token),
    registration_endpoint: addressOf(issuer, paths.register),
    revocation_endpoint: addressOf(issuer, paths.revoke),
    introspection_endpoint: addressOf(issuer, paths.introspect),
    jwks_uri: addressOf(issuer, paths.jwks),
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
    introspection_endpoint_auth_methods_supported: ['client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: false,
    ...(server.documentation === undefined ? {} : { service_documentation: server.documentation }),
    ...(scopes.includes('openid') ? openIdMetadata(server, scopes) : {}),
  }
}

function openIdMetadata(server: ServerContext, scopes: readonly string[]): object {
  const frame = ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash', 'azp']
  return {
    userinfo_endpoint: addressOf(server.issuer, server.paths.userinfo),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: server.keys.algorithms,
    claim_types_supported: ['normal'],
    claims_supported: [...frame, ...claimsOfScopes(scopes)],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    require_request_uri_registration: false,
  }
}
