import type { VerdictTexts } from './verdict-text.ts'

const CLOCK = 'Compare the clocks of the server and of the client. The doctor measures that of the server.'
const ITS_METADATA = 'Compare the assertion with the metadata of the client.'

/** Client assertions: clients that authenticate with a key. */
export const ASSERTION_VERDICTS = {
  assertion_malformed: {
    by: 'app',
    sentence: 'The client assertion is not a JWT that can be read.',
    fix: ITS_METADATA,
    toDeveloper: 'Send one signed JWT in compact form as `client_assertion` (RFC 7523 3).',
  },
  assertion_algorithm: {
    by: 'app',
    sentence: 'The client assertion is signed with an algorithm that is not accepted for this client.',
    fix: ITS_METADATA,
    toDeveloper:
      'Sign with an algorithm of `token_endpoint_auth_signing_alg_values_supported`, and with the registered one if there is one.',
    doctorCheck: 'client-authentication',
  },
  assertion_typ: {
    by: 'app',
    sentence: 'The client assertion is a JWT for another purpose, by its `typ`.',
    fix: ITS_METADATA,
    toDeveloper: 'Leave out `typ` of the client assertion, or use `JWT` or `client-authentication+jwt`.',
  },
  assertion_issuer: {
    by: 'app',
    sentence: 'The client assertion does not name the client as its issuer and subject.',
    fix: ITS_METADATA,
    toDeveloper: 'Set `iss` and `sub` of the client assertion to the `client_id`.',
  },
  assertion_audience: {
    by: 'app',
    sentence:
      'The `aud` of the client assertion is not this server: it is the address of an endpoint, or another server.',
    fix: "Many libraries name the token endpoint: `clientAssertion({ audiences: 'endpoints' })` accepts it. If the app names another server, correct the address in the app.",
    toDeveloper: 'Set `aud` of the client assertion to the `issuer` of the metadata, byte for byte.',
    doctorCheck: 'issuer',
  },
  assertion_expired: {
    by: 'app',
    sentence: 'The client assertion has expired.',
    fix: CLOCK,
    toDeveloper: 'Make a new client assertion for each request, and check the clock of your computer.',
    doctorCheck: 'clock',
  },
  assertion_too_long: {
    by: 'app',
    sentence: 'The client assertion is valid for longer than is accepted here.',
    fix: 'If the library has no setting for it, `maxLifetime` of `clientAssertion()` accepts more seconds.',
    toDeveloper: 'Let a client assertion expire after a minute, and make a new one for each request.',
  },
  assertion_early: {
    by: 'app',
    sentence: 'The client assertion is not valid yet.',
    fix: CLOCK,
    toDeveloper:
      'Check the clock of your computer: `nbf` or `iat` of the client assertion lies in the future.',
    doctorCheck: 'clock',
  },
  assertion_jti: {
    by: 'app',
    sentence: 'The client assertion has no usable `jti`.',
    fix: ITS_METADATA,
    toDeveloper: 'Give each client assertion a fresh random `jti`.',
  },
  assertion_signature: {
    by: 'app',
    sentence: 'No key of the client verifies the signature of its client assertion.',
    fix: 'Look whether the client has new keys: its `jwks` or `jwks_uri` must have the one that it signs with.',
    toDeveloper: 'Sign with a key of your registered `jwks` or `jwks_uri`, and name it by `kid`.',
  },
  assertion_replayed: {
    by: 'app',
    sentence: 'The client assertion was used before.',
    fix: 'If the app does not repeat its requests, somebody has a copy of the assertion.',
    toDeveloper: 'Make a new client assertion with a fresh `jti` for each request, also for a retry.',
  },
} as const satisfies VerdictTexts
