import { NOTHING_TO_FIX, type VerdictTexts } from './verdict-text.ts'

/** Signing out. */
export const SIGN_OUT_VERDICTS = {
  logout_hint_unverified: {
    by: 'app',
    sentence:
      'The `id_token_hint` of the logout is an ID token that this server did not issue or can no longer verify.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send the latest ID token of this server as `id_token_hint`.',
    doctorCheck: 'id-token',
  },
  logout_hint_of_other_client: {
    by: 'app',
    sentence: 'The `id_token_hint` of the logout is the ID token of another client.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send the ID token and the `client_id` of the same client.',
  },
  logout_client_missing: {
    by: 'app',
    sentence: 'The logout request has a `post_logout_redirect_uri` and does not name its client.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send `id_token_hint` or `client_id` together with `post_logout_redirect_uri`.',
  },
  post_logout_redirect_uri_not_registered: {
    by: 'app',
    sentence: 'The app sent a `post_logout_redirect_uri` that it has not registered.',
    fix: 'Correct the address in the settings of the app, or add it to the static client.',
    toDeveloper: 'Send a registered `post_logout_redirect_uri`, byte for byte.',
  },
  logout_ticket_invalid: {
    by: 'user',
    sentence: 'The user answered the page for the sign-out too late, or after signing in again.',
    fix: 'The user signs out once more.',
    toDeveloper: 'The page was open for too long. Nothing happened.',
  },
} as const satisfies VerdictTexts
