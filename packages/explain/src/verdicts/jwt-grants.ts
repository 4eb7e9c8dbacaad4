import { NOTHING_TO_FIX, type VerdictTexts } from './verdict-text.ts'

const TRUST = 'Compare the assertion with the trust of its issuer in the options of the server.'
const CLOCK = 'Compare the clocks of the server and of the issuer.'
const ANOTHER = 'Request another assertion from the issuer, and present it at once.'

/** JWT authorization grants: ID-JAGs and tokens of workloads. */
export const JWT_GRANT_VERDICTS = {
  jwt_grant_malformed: {
    by: 'app',
    sentence: 'The assertion is not a signed JWT that can be read.',
    fix: TRUST,
    toDeveloper: 'Send one JWS in compact form as `assertion`, unencrypted and without `crit` (RFC 7523 3).',
  },
  jwt_grant_typ: {
    by: 'app',
    sentence: 'The assertion is a JWT for another purpose, by its `typ`.',
    fix: 'Look whether the app sends an ID token or an access token in place of an ID-JAG.',
    toDeveloper: 'An ID-JAG has the `typ` `oauth-id-jag+jwt`; the token of a workload has `JWT` or none.',
  },
  jwt_grant_issuer: {
    by: 'operator',
    sentence: 'The issuer of the assertion is not trusted.',
    fix: 'Add a trust with exactly this issuer, if it should be trusted. A slash at the end counts.',
    toDeveloper: 'Ask the operator whether the identity provider is trusted.',
  },
  jwt_grant_algorithm: {
    by: 'operator',
    sentence: 'The assertion is signed with an algorithm that its trust does not accept.',
    fix: 'Add the algorithm to the trust, if it is ES256, EdDSA, PS256 or RS256.',
    toDeveloper: 'Sign by ES256 or RS256.',
  },
  jwt_grant_signature: {
    by: 'operator',
    sentence: 'No key of the issuer verifies the signature of the assertion.',
    fix: 'Look whether the trust has the current keys of the issuer.',
    toDeveloper: 'Sign with a published key of the issuer, and name it by `kid`.',
  },
  jwt_grant_claims: {
    by: 'app',
    sentence: 'A claim of the assertion is missing or malformed.',
    fix: TRUST,
    toDeveloper:
      'An ID-JAG has `iss`, `sub`, `aud`, `client_id`, `jti`, `iat` and `exp`, `tenant` where issuers are shared, and no `authorization_details`.',
  },
  jwt_grant_audience: {
    by: 'app',
    sentence: 'The assertion is for another server.',
    fix: 'Set the audience at the issuer to the `issuer` of this server, byte for byte.',
    toDeveloper:
      'Request the assertion for the `issuer` in the metadata of the server, and for no other server.',
  },
  jwt_grant_expired: {
    by: 'app',
    sentence: 'The assertion has expired.',
    fix: CLOCK,
    toDeveloper: ANOTHER,
  },
  jwt_grant_early: {
    by: 'app',
    sentence: 'The assertion is not valid yet.',
    fix: CLOCK,
    toDeveloper: CLOCK,
  },
  jwt_grant_too_long: {
    by: 'operator',
    sentence: 'The assertion is valid for longer than its trust accepts.',
    fix: 'Shorten the lifetime at the issuer, or set `maxAssertionLifetime` of the trust.',
    toDeveloper: 'Request an assertion with a shorter lifetime.',
  },
  jwt_grant_replayed: {
    by: 'app',
    sentence: 'The assertion was used before.',
    fix: 'If the app does not repeat its requests, somebody has a copy of the assertion.',
    toDeveloper: ANOTHER,
  },
  jwt_grant_client: {
    by: 'operator',
    sentence: 'The assertion is for another client, or the trust does not admit this one.',
    fix: 'Compare `clients` of the trust, and the client id that the identity provider has for this server.',
    toDeveloper: 'Request the assertion for the `client_id` that you have at this server.',
  },
  jwt_grant_resource: {
    by: 'operator',
    sentence: 'The assertion is for a resource that its trust does not give.',
    fix: TRUST,
    toDeveloper: 'Request the assertion for the `resource` of the protected resource metadata.',
  },
  jwt_grant_subject: {
    by: 'operator',
    sentence: 'The user of the assertion is not known here, or not active.',
    fix: 'Let the user sign in here once by the same identity provider, so that the account is linked.',
    toDeveloper: 'The user needs an account here that is linked to the identity provider.',
  },
  jwt_grant_key: {
    by: 'app',
    sentence: 'The assertion is bound to a key, which the request does not prove.',
    fix: 'Enable DPoP on this server, if the identity provider binds its assertions to keys.',
    toDeveloper: 'Send a DPoP proof of the key in `cnf` of the assertion.',
  },
  jwt_grant_rule: {
    by: 'operator',
    sentence: 'No rule for workloads matches the claims, or several do.',
    fix: 'Compare the claims of the token with the rules. Exactly one may match.',
    toDeveloper: 'Send the `client_id` too, and the token of the right workload.',
  },
  jwt_grant_client_public: {
    by: 'operator',
    sentence: 'A public client presented an ID-JAG.',
    fix: 'Register the client with a secret or keys.',
    toDeveloper: 'Authenticate with the credentials of your client.',
  },
  jwt_grant_scope: {
    by: 'operator',
    sentence: 'The assertion, its trust, the client and the request have no scope in common.',
    fix: TRUST,
    toDeveloper: 'Request scopes that the assertion has.',
  },
  jwt_grant_target: {
    by: 'app',
    sentence: 'The request names a resource that the assertion does not give, or none of several.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send the `resource` that you requested the assertion for.',
  },
  jwt_grant_keys_unreachable: {
    by: 'server',
    sentence: 'The keys of the issuer cannot be fetched.',
    fix: 'The event `client_keys_failed` says why. For an issuer that this server cannot reach, set `jwks` in its trust.',
    toDeveloper: 'Try again later.',
  },
  too_many_jwt_grants: {
    by: 'app',
    sentence: 'The client requested too many tokens for one user or workload.',
    fix: 'Raise the limit `jwt_bearer`, if the client needs as many.',
    toDeveloper: 'Use a token until it expires.',
  },
} as const satisfies VerdictTexts
