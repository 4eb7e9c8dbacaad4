import { NOTHING_TO_FIX, type VerdictTexts } from './verdict-text.ts'

const TOO_LATE_FOR_THE_FORM =
  'The user answers the page again. If it happens at once, the cookie of the sign-in was lost: look at `baseUrl` (`BASE_URL`), and at http and https at the proxy.'

/** Sign-in and consent: what needs the user. */
export const DECISION_VERDICTS = {
  sign_in_needed: {
    by: 'app',
    sentence: 'The app requested access without any page (`prompt=none`), and no user is signed in.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'After `login_required`, send the user again without `prompt=none`.',
  },
  sign_in_as_other_user: {
    by: 'user',
    sentence: 'The user signed in as somebody else than the app had named.',
    fix: 'The user signs in with the account that the app knows, or disconnects the app first.',
    toDeveloper: 'Leave out `id_token_hint` if another user may sign in.',
  },
  consent_needed: {
    by: 'app',
    sentence:
      'The app requested access without any page (`prompt=none`), and the user has not allowed this before.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'After `consent_required`, send the user again without `prompt=none`.',
  },
  id_token_hint_unverified: {
    by: 'app',
    sentence: 'The app named the user by an ID token that this server did not issue or can no longer verify.',
    fix: 'After a change of the signing keys this passes as soon as the user signs in again.',
    toDeveloper: 'Send the latest ID token of this server as `id_token_hint`, or leave it out.',
    doctorCheck: 'id-token',
  },
  acr_values_unknown: {
    by: 'app',
    sentence: 'The app requested classes of sign-ins (`acr_values`) of which this server has none.',
    fix: 'Compare them with the classes of `stepUp`.',
    toDeveloper: 'Send one of `acr_values_supported` of the server metadata, or leave `acr_values` out.',
  },
  acr_values_unmet: {
    by: 'user',
    sentence: 'The app requested a stronger sign-in (`acr_values`) than the user made.',
    fix: 'The user sets up a stronger method, such as a passkey or a second factor, and begins again. If that was done, look whether the session tells its `acr`.',
    toDeveloper: 'After `unmet_authentication_requirements`, say to the user which sign-in is needed.',
  },
  consent_ticket_invalid: {
    by: 'user',
    sentence: 'The user answered the consent page too late, or after signing in again.',
    fix: TOO_LATE_FOR_THE_FORM,
    toDeveloper: 'The page was open for too long. Let the user begin again in your app.',
  },
  consent_ticket_spent: {
    by: 'user',
    sentence: 'The user answered the same consent page twice, with different answers.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'The user has answered already. If your app got no code, let the user begin again.',
  },
  consent_denied: {
    by: 'user',
    sentence: 'The user denied access.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'The user chose "Deny". Tell the user, and do not request access again by yourself.',
  },
} as const satisfies VerdictTexts
