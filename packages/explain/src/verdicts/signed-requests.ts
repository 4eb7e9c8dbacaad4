import { DEVELOPER_ONLY, type VerdictTexts } from './verdict-text.ts'

const BEGIN_AGAIN = 'Begin again in the app.'

/** Request objects (RFC 9101), and signed responses (JARM). */
export const SIGNED_REQUEST_VERDICTS = {
  request_object_malformed: {
    by: 'app',
    sentence: 'The signed request of the app is no signed JWT, or names another request.',
    fix: DEVELOPER_ONLY,
    toDeveloper:
      'Send a JWT with a signature and without encryption, and no `request` or `request_uri` in it.',
  },
  request_object_client: {
    by: 'app',
    sentence: 'The signed request is of another client than the link names, or is a client assertion.',
    fix: 'Begin again in the app. If this is no fault of the app, somebody put the link together.',
    toDeveloper:
      'Send your `client_id` in the signed request and beside it, the same as `iss`, and no `sub`.',
  },
  request_object_algorithm: {
    by: 'app',
    sentence: 'The signed request has an algorithm that this server or this client does not use.',
    fix: 'Look at `request_object_signing_alg` of the client.',
    toDeveloper: 'Sign with an algorithm of `request_object_signing_alg_values_supported`.',
  },
  request_object_typ: {
    by: 'app',
    sentence: 'The signed request is a JWT for another purpose, by its `typ`.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send `typ` `oauth-authz-req+jwt` in the signed request.',
  },
  request_object_signature: {
    by: 'app',
    sentence: 'No key that the client registered verifies its signed request.',
    fix: 'Register the current public keys of the client, or its `jwks_uri`.',
    toDeveloper: 'Sign with a key that is registered here, and send its `kid`.',
  },
  request_object_audience: {
    by: 'app',
    sentence: 'The signed request is for another server.',
    fix: 'The app must use the `issuer` of this server, byte for byte.',
    toDeveloper: 'Send the `issuer` of the metadata as `aud` of the signed request.',
  },
  request_object_times: {
    by: 'app',
    sentence: 'A time in the signed request is missing or no number.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send `exp` and `nbf` in the signed request, as numbers of seconds.',
  },
  request_object_expired: {
    by: 'user',
    sentence: 'The link was opened after its signed request had expired.',
    fix: BEGIN_AGAIN,
    toDeveloper: 'Sign the request when the user starts. If it happens at once, compare your clock.',
  },
  request_object_early: {
    by: 'app',
    sentence: 'The signed request is dated in the future.',
    fix: 'Compare the clocks of the app and of this server.',
    toDeveloper: 'Set your clock by NTP: `iat` and `nbf` must not be in the future.',
  },
  request_object_too_long: {
    by: 'app',
    sentence: 'The signed request is too old, or is valid for too long.',
    fix: 'Begin again in the app, or allow more time (`maxAge`).',
    toDeveloper: 'Sign a new request for each sign-in, with a few minutes between `nbf` and `exp`.',
  },
  request_object_spent: {
    by: 'user',
    sentence: 'The signed request was answered before: the link was opened twice.',
    fix: BEGIN_AGAIN,
    toDeveloper: 'Sign a new request for each sign-in; it is good for one answer.',
  },
  request_object_missing: {
    by: 'app',
    sentence: 'The client must sign its requests, and this one was not signed.',
    fix: 'Switch signed requests (JAR) on in the app, or stop requiring them of this client.',
    toDeveloper: 'Send the request as a signed JWT in `request` (RFC 9101).',
  },
  signed_response_required: {
    by: 'app',
    sentence: 'The client gets signed answers alone, and its request asked for another.',
    fix: 'Switch signed responses (JARM) on in the app, or stop requiring them (`authorization_signed_response_alg` of the client, `SIGNED_RESPONSES`).',
    toDeveloper: 'Send `response_mode=jwt`.',
  },
} as const satisfies VerdictTexts
