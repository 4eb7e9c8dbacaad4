import { NOTHING_TO_FIX, type VerdictText, type VerdictTexts } from './verdict-text.ts'

/** What no error says: a step that did not come, or one that came again. */
export const FINDING_VERDICTS = {
  never_requested: {
    by: 'network',
    sentence: 'The app registered, and sent no authorization request.',
    fix: 'Run the doctor from outside your network. The app rejected the metadata, or cannot reach the server: it needs a public IPv4 address, and firewalls that let the vendor in. Or the user gave up.',
    toDeveloper:
      'Your app registered and sent no authorization request. Compare the `issuer` of the metadata with the address that you use, byte for byte.',
    doctorCheck: 'issuer',
  },
  sign_in_left: {
    by: 'user',
    sentence: 'The user saw the sign-in page and did not sign in.',
    fix: 'Ask the user. If there was an error on the page, look into the log at this time.',
    toDeveloper: 'The user did not sign in. Let the user begin again in your app.',
  },
  sign_in_repeated: {
    by: 'operator',
    sentence: 'The user came to the sign-in page again and again: the cookie of the sign-in is lost.',
    fix: 'Set `baseUrl` (`BASE_URL`) to the https address that users open, redirect http and other host names there, let the proxy pass cookies, and give all replicas one `SECRET`.',
    toDeveloper:
      'Open the authorization endpoint in the browser of the user, which must keep cookies: not in an embedded view.',
    doctorCheck: 'endpoints',
  },
  consent_left: {
    by: 'user',
    sentence: 'The user saw the consent page and did not answer.',
    fix: 'Ask the user. If the buttons do nothing, a policy of the page blocks its form.',
    toDeveloper: 'The user neither allowed nor denied access. Let the user begin again in your app.',
    doctorCheck: 'form-action',
  },
  requested_after_denial: {
    by: 'app',
    sentence: 'The user denied access, and the app requested access again at once.',
    fix: 'Nothing needs to change here. The user ends the loop in the app.',
    toDeveloper:
      'Your app starts a new authorization right after `access_denied`. Show the denial, and wait for the user.',
  },
  code_not_redeemed: {
    by: 'app',
    sentence:
      'The user allowed access, and the code never came back: the answer did not reach the app, the browser did not open it, or it did not redeem the code.',
    fix: 'If the consent page is your own, its `form-action` must name `formActionSources`. If the callback is on a computer of the user, a firewall or a container may block it. Otherwise send the reference to the vendor of the app.',
    toDeveloper:
      'The browser was sent to your redirect URI with a code, and no token request came. Look at your callback at this time.',
    doctorCheck: 'form-action',
  },
  requested_after_code: {
    by: 'app',
    sentence:
      'The user allowed access, and the app began anew without redeeming the code: it lost its `state`.',
    fix: 'The user begins again in the app, in one window.',
    toDeveloper:
      'Your app started a new authorization after it was sent a code. Keep `state` and `code_verifier` until the redirect arrives, in storage that all your processes share.',
  },
  token_not_used: {
    by: 'network',
    sentence:
      'The app got its tokens and did not call the API: it has a wrong address, or something in front of the API refused the call.',
    fix: 'Compare the address of the resource in the app with `resource` of its metadata. If the app reports a 403, a proxy or a web application firewall answered it.',
    toDeveloper:
      'Your app got tokens and made no call that reached us. Which address did it call, and what was the answer?',
    doctorCheck: 'resource-metadata',
  },
  grant_ended: {
    by: 'user',
    sentence:
      'The access was ended: the user disconnected the app, the app signed out, the operator removed it, or the session ended that it was bound to.',
    fix: 'The last step says who ended it; `server` is also the end of the session. The user connects the app again if that was a mistake.',
    toDeveloper:
      'The access was revoked. After `invalid_grant`, forget the tokens and let the user sign in again.',
  },
  in_progress: {
    by: 'none',
    sentence: 'Nothing has failed so far, and the next step is not overdue.',
    fix: 'Look again in a few minutes.',
    toDeveloper: 'Nothing has failed so far.',
  },
  succeeded: {
    by: 'none',
    sentence: 'The sign-in succeeded, and the API answered the first call of the app.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'The sign-in succeeded, and the first call of the API was allowed.',
  },
  tokens_issued: {
    by: 'none',
    sentence: 'The app got its tokens, and this server does not see the calls of that API.',
    fix: 'Nothing needs to change here. If the app does not work, look into the log of the API: a guard with `signInAttempts` in this process and introspection report the first call, a guard elsewhere does not.',
    toDeveloper: 'Your app got its tokens. If the API refuses them, read `error_description` of its answer.',
  },
  unexplained: {
    by: 'app',
    sentence: 'The request was refused for a reason of a feature that has no verdict of its own.',
    fix: 'Look up the reason with the feature that defines it.',
    toDeveloper: 'Read `error_description`: it says what was wrong with the request.',
  },
} as const satisfies VerdictTexts

/** What replaces parts of `grant_ended`, by who ended the grant. */
export const ENDED_BY: Readonly<Record<string, Pick<VerdictText, 'by' | 'sentence'>>> = {
  client: { by: 'app', sentence: 'The app ended its access, as at a sign-out.' },
  user: { by: 'user', sentence: 'The user disconnected the app.' },
  operator: {
    by: 'operator',
    sentence: 'The operator ended the access, or removed the app or the user.',
  },
}
