import { DEVELOPER_ONLY, type VerdictTexts } from './verdict-text.ts'

/** Parameters of the authorization request. */
export const REQUEST_VERDICTS = {
  response_type_missing: {
    by: 'app',
    sentence: 'The authorization request has no `response_type`.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send `response_type=code`.',
  },
  response_type_unsupported: {
    by: 'app',
    sentence: 'The app requested the implicit or a hybrid flow, which this server does not have.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Use the authorization code flow: send `response_type=code` and PKCE.',
  },
  response_mode_unsupported: {
    by: 'app',
    sentence: 'The app requested the answer in another form than the query of its redirect URI.',
    fix: DEVELOPER_ONLY,
    toDeveloper:
      'Leave out `response_mode`, or send `response_mode=query`. ASP.NET Core sends `form_post` unless its options say `ResponseMode = OpenIdConnectResponseMode.Query`.',
  },
  request_object_unsupported: {
    by: 'app',
    sentence: 'The app sent the request as a signed object, which this server does not read.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send the parameters themselves, without `request`.',
  },
  request_uri_unsupported: {
    by: 'app',
    sentence: 'The app sent a `request_uri`, and this server takes no pushed requests.',
    fix: 'Turn on pushed authorization requests if apps need them (`pushedAuthorizationRequests()`, `PAR`).',
    toDeveloper:
      'Send the parameters themselves, unless the metadata has `pushed_authorization_request_endpoint`.',
  },
  registration_unsupported: {
    by: 'app',
    sentence: 'The app sent its metadata in the authorization request, which this server does not read.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Leave out `registration`, and register at the `registration_endpoint` of the metadata.',
  },
  prompt_invalid: {
    by: 'app',
    sentence: 'The app sent a `prompt` that does not exist, or `none` together with another value.',
    fix: DEVELOPER_ONLY,
    toDeveloper:
      'Send `prompt` with `login`, `consent` or `select_account`, or with `none` alone, or leave it out.',
  },
  challenge_and_nonce_missing: {
    by: 'app',
    sentence:
      'The app may leave out PKCE, and sent no `code_challenge`, nor `openid` and a `nonce` in its place.',
    fix: 'Switch PKCE on in the app, or let it send the scope `openid` and a `nonce`. If both are impossible, allow it with `nonceOptional`: then nothing protects it from an injected code.',
    toDeveloper:
      'Send a `code_challenge` (S256), or the scope `openid` and a fresh `nonce` with each request.',
    doctorCheck: 'pkce',
  },
  challenge_missing: {
    by: 'app',
    sentence: 'The app began without PKCE, which this server requires.',
    fix: 'Switch PKCE on in the app. If that is impossible and the client has a secret, register it as a static client with `pkceOptional`.',
    toDeveloper:
      'Send `code_challenge` and `code_challenge_method=S256` with each authorization request, and `code_verifier` with the code.',
    doctorCheck: 'pkce',
  },
  challenge_malformed: {
    by: 'app',
    sentence: 'The `code_challenge` is not a SHA-256 hash in base64url.',
    fix: DEVELOPER_ONLY,
    toDeveloper:
      'Send the SHA-256 hash of `code_verifier` in base64url without padding: 43 characters. A hash in hex or plain base64 is not valid.',
    doctorCheck: 'pkce',
  },
  challenge_method_unsupported: {
    by: 'app',
    sentence: 'The app sent a `code_challenge_method` other than S256, or none, which means plain.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send `code_challenge_method=S256`; without it the method is `plain`, which is not offered.',
    doctorCheck: 'pkce',
  },
} as const satisfies VerdictTexts
