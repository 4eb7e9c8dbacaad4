import { DEVELOPER_ONLY, type VerdictTexts } from './verdict-text.ts'

const BEGIN_AGAIN = 'The user begins again in the app.'

/** The authorization code and its PKCE verifier, at the token endpoint. */
export const CODE_VERDICTS = {
  code_unknown: {
    by: 'app',
    sentence:
      'The app sent a code that this server does not know: mistyped, cut off, or of a grant that has ended or was removed.',
    fix: `${BEGIN_AGAIN} The audit trail shows what an operator removed.`,
    toDeveloper: 'Send the `code` of the redirect unchanged and decoded once, and only once.',
  },
  code_expired: {
    by: 'app',
    sentence: 'The app redeemed the code too late.',
    fix: 'If the app has to wait for its user, extend `lifetimes.code` (`CODE_LIFETIME`). Compare the clocks of the replicas.',
    toDeveloper: 'Redeem the code as soon as the redirect arrives; it is valid for about a minute.',
    doctorCheck: 'clock',
  },
  code_of_other_client: {
    by: 'app',
    sentence: 'A client sent a code that was issued to another client.',
    fix: 'If the app registered again in the middle of a sign-in, begin again. Otherwise somebody tries a code that was stolen.',
    toDeveloper: 'Redeem the code with the `client_id` of its authorization request: keep it until then.',
  },
  code_redirect_uri_mismatch: {
    by: 'app',
    sentence: 'The `redirect_uri` of the token request differs from the one of the authorization request.',
    fix: 'Look for two addresses of the app in its settings: http and https, a proxy, a slash at the end.',
    toDeveloper: 'Send the same `redirect_uri` with the code as in the authorization request, byte for byte.',
  },
  code_redirect_uri_missing: {
    by: 'app',
    sentence: 'The token request has no `redirect_uri`.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send the `redirect_uri` of the authorization request with the code.',
  },
  code_redirect_uri_removed: {
    by: 'operator',
    sentence:
      'An operator removed the redirect URI of this sign-in from the client while the user signed in.',
    fix: 'If the app still uses this redirect URI, add it to the client again (`clients update`).',
    toDeveloper:
      'Begin again with a redirect URI that is registered, and ask the operator which one that is.',
  },
  session_ended: {
    by: 'user',
    sentence: 'The user signed out between the consent and the token request.',
    fix: BEGIN_AGAIN,
    toDeveloper: 'Let the user sign in again: the session of the code has ended.',
  },
  code_verifier_missing: {
    by: 'app',
    sentence: 'The app began with PKCE and sent the code without its verifier.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send `code_verifier` with the code, and keep it until the redirect arrives.',
  },
  code_of_other_key: {
    by: 'app',
    sentence: 'The app bound the code to a DPoP key, and the token request proves another key or none.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Prove the key of `dpop_jkt` when you redeem the code.',
  },
  code_verifier_mismatch: {
    by: 'app',
    sentence: 'The `code_verifier` does not belong to the code, which is void now.',
    fix: 'The user begins again, with one window only: two sign-ins at once are often mixed up. If it happens without the user, somebody tries a code that was stolen.',
    toDeveloper:
      'Keep each `code_verifier` under its `state`: the app mixed up two sign-ins, or hashed the verifier in another way than S256.',
  },
  code_replayed: {
    by: 'app',
    sentence: 'The code was used twice, so its tokens were revoked.',
    fix: 'Two tabs, a retry of the app, or a thief: compare the times and networks of the two requests. The user begins again.',
    toDeveloper:
      'Redeem each code once. Do not repeat the token request, and redeem in one place only, even if the callback is loaded twice.',
  },
} as const satisfies VerdictTexts
