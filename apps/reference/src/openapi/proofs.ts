import type { Json, Operation } from './operation.ts'

const PROOF: Json = {
  name: 'DPoP',
  in: 'header',
  required: false,
  description: 'A proof of the key that the tokens are bound to (RFC 9449 4)',
  schema: { type: 'string' },
}

/** An operation where DPoP is on: the token request takes a proof, and so does whatever takes an access token. */
export function withProof(operation: Operation): Operation {
  const { operationId, security = [], parameters = [] } = operation
  const takesToken = security.some((needed) => Object.hasOwn(Object(needed), 'oauth2'))
  if (operationId !== 'exchangeToken' && !takesToken) return operation
  return { ...operation, parameters: [...parameters, PROOF] }
}
