import type { Json, Operation } from './operation.ts'

const PROOF: Json = {
  name: 'DPoP',
  in: 'header',
  required: false,
  description: 'A proof of the key that the tokens are bound to (RFC 9449 4)',
  schema: { type: 'string' },
}

/** An operation with DPoP: the token request and every operation with an access token have a `DPoP` header. */
export function withProof(operation: Operation): Operation {
  const { operationId, security = [], parameters = [] } = operation
  const takesToken = security.some((needed) => Object.hasOwn(Object(needed), 'oauth2'))
  if (operationId !== 'exchangeToken' && !takesToken) return operation
  return { ...operation, parameters: [...parameters, PROOF] }
}
