import { DEVELOPER_ONLY, type VerdictTexts } from './verdict-text.ts'

/** Pushed authorization requests. */
export const PUSHED_VERDICTS = {
  request_uri_unknown: {
    by: 'app',
    sentence: 'The link has a `request_uri` that this server did not issue.',
    fix: 'Begin again in the app. If it happens to all users, the replicas have different secrets.',
    toDeveloper: 'Send the `request_uri` of the answer to your push unchanged, to the server that issued it.',
  },
  request_uri_expired: {
    by: 'user',
    sentence: 'The link was opened after its pushed request had expired.',
    fix: 'Begin again in the app.',
    toDeveloper: 'Push the request when the user starts, and open the browser within `expires_in` seconds.',
  },
  request_uri_of_other_client: {
    by: 'app',
    sentence: 'The pushed request belongs to another client than the link names.',
    fix: 'Begin again in the app. If this is no fault of the app, somebody put the link together.',
    toDeveloper: 'Send the `client_id` that pushed the request.',
  },
  request_uri_spent: {
    by: 'user',
    sentence: 'The pushed request was answered before: the link was opened twice.',
    fix: 'Begin again in the app.',
    toDeveloper: 'Push a new request for each sign-in; a `request_uri` is good for one answer.',
  },
  request_not_pushed: {
    by: 'app',
    sentence: 'The client must push its requests, and sent this one in the link.',
    fix: 'Switch pushed authorization requests on in the app, or stop requiring them of this client.',
    toDeveloper: 'Push the request to `pushed_authorization_request_endpoint` first (RFC 9126).',
  },
  pushed_without_proof: {
    by: 'operator',
    sentence: 'The app pushed its request before its document was known, so its keys could not be checked.',
    fix: 'Pin its document (`pinned`, `CIMD_PINNED`).',
    toDeveloper: 'Begin again; if it stays, ask the operator to pin your client ID metadata document.',
  },
  pushed_keys_differ: {
    by: 'app',
    sentence: 'The pushed request names another DPoP key than the one that proved it.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Leave out `dpop_jkt`, or use the key of your DPoP proof.',
  },
  pushed_request_uri: {
    by: 'app',
    sentence: 'The app pushed a request that names another pushed request.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Push the parameters themselves, without `request_uri` (RFC 9126 2.1).',
  },
  pushed_request_too_long: {
    by: 'app',
    sentence: 'The pushed request is too long to be carried in a link.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Shorten the request: fewer scopes, a shorter `state`.',
  },
} as const satisfies VerdictTexts
