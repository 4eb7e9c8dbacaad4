import { AuthorizationParameters } from './authorization-request.ts'
import { AuthorizationCodeRequest } from './endpoints/grant-types/authorization-code.ts'
import { RefreshTokenRequest } from './endpoints/grant-types/refresh-token.ts'
import { IntrospectionRequest } from './endpoints/introspect.ts'
import { RevocationRequest } from './endpoints/revoke.ts'
import { ClientCredentials } from './rules/client-authentication.ts'
import { ClientMetadata } from './rules/client-metadata.ts'

/**
 * What clients send, as the very schemas that the endpoints read it with: a description made of them, such as an
 * OpenAPI document, cannot say anything else than the server does.
 */
export const messages = {
  AuthorizationParameters,
  AuthorizationCodeRequest,
  RefreshTokenRequest,
  RevocationRequest,
  IntrospectionRequest,
  ClientCredentials,
  ClientMetadata,
} as const
