import { DEVELOPER_ONLY, NOTHING_TO_FIX, type VerdictTexts } from './verdict-text.ts'

/** Token exchange. */
export const TOKEN_EXCHANGE_VERDICTS = {
  subject_token_unknown: {
    by: 'app',
    sentence: 'The token to exchange is not a valid access token of this server.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send a valid access token as `subject_token`; refresh it first.',
  },
  subject_token_of_other_client: {
    by: 'operator',
    sentence: 'The client may not exchange this token, which was issued for another purpose.',
    fix: 'Allow the client to exchange tokens of this resource, if it should.',
    toDeveloper: 'Send an access token that was issued for your API as `subject_token`.',
  },
  subject_token_type_unsupported: {
    by: 'app',
    sentence: 'The app wants to exchange another kind of token than an access token.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Set `subject_token_type` to `urn:ietf:params:oauth:token-type:access_token`.',
  },
  actor_token_unsupported: {
    by: 'app',
    sentence: 'The app sent an actor token, which this server does not read.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Leave out `actor_token`: the client that exchanges the token is the actor.',
  },
  requested_token_type_unsupported: {
    by: 'app',
    sentence: 'The app wants another kind of token than an access token.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Leave out `requested_token_type`, or request an access token.',
  },
  audience_unsupported: {
    by: 'app',
    sentence: 'The app named the target of the token by `audience`, which this server does not read.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Name the target by `resource` instead of `audience` (RFC 8707).',
  },
  subject_token_of_other_key: {
    by: 'app',
    sentence: 'The token to exchange is bound to a key, which the request does not prove.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send a DPoP proof of the key of `subject_token`.',
  },
  delegation_too_deep: {
    by: 'app',
    sentence: 'The token was exchanged too often in a chain.',
    fix: 'Let the services exchange the first token instead of an exchanged one.',
    toDeveloper: 'Exchange a token at most three times in a chain.',
  },
  too_many_exchanged_tokens: {
    by: 'app',
    sentence: 'The grant has as many live exchanged tokens as it may have.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Use an exchanged token until it expires, or revoke it.',
  },
} as const satisfies VerdictTexts
