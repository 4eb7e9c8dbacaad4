import { defineErrors } from '../../kernel/oauth-error.ts'

/** One text for all faults of an assertion: an attacker learns nothing, and the event `assertion_refused` has the reason. */
const NOT_ACCEPTED =
  'The assertion is not accepted. Check its issuer, type, signature, audience, times and jti, or ask the operator'

export const JWT_GRANT_ERRORS = defineErrors({
  jwt_grant_malformed: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_typ: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_issuer: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_algorithm: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_signature: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_claims: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_audience: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_expired: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_early: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_too_long: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_replayed: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_client: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_resource: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_subject: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_key: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_rule: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_client_public: [
    'invalid_client',
    'This grant requires client authentication. Use a confidential client',
  ],
  jwt_grant_scope: ['invalid_scope', 'No requested scope is allowed for this assertion'],
  jwt_grant_target: ['invalid_target', 'resource must be one that the assertion allows. Name one'],
  jwt_grant_keys_unreachable: [
    'temporarily_unavailable',
    'The keys of the issuer cannot be fetched at the moment. Try again later',
  ],
  too_many_jwt_grants: [
    'temporarily_unavailable',
    'Too many tokens were requested for this subject. Use each until it expires',
    429,
  ],
})

/** By what is checked of every signed JWT. */
export const JWT_ERRORS = {
  algorithm: JWT_GRANT_ERRORS.jwt_grant_algorithm,
  signature: JWT_GRANT_ERRORS.jwt_grant_signature,
  audience: JWT_GRANT_ERRORS.jwt_grant_audience,
  endless: JWT_GRANT_ERRORS.jwt_grant_claims,
  claims: JWT_GRANT_ERRORS.jwt_grant_claims,
  expired: JWT_GRANT_ERRORS.jwt_grant_expired,
  early: JWT_GRANT_ERRORS.jwt_grant_early,
}
