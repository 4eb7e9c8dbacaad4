import { DEVELOPER_ONLY, type VerdictTexts } from './verdict-text.ts'

/** Which grant types a client may use. */
export const GRANT_TYPE_VERDICTS = {
  grant_type_unsupported: {
    by: 'operator',
    sentence: 'The app used a grant type that this server does not have.',
    fix: 'Turn on the feature of this grant type if apps need it.',
    toDeveloper: 'Use a grant type of `grant_types_supported` in the metadata, such as `authorization_code`.',
    doctorCheck: 'device-grant',
  },
  grant_type_not_registered: {
    by: 'app',
    sentence: 'The app used a grant type that it is not registered for.',
    fix: 'Register the app with this grant type.',
    toDeveloper: 'Name the grant type in `grant_types` of your registration.',
  },
  client_credentials_not_allowed: {
    by: 'operator',
    sentence: 'The client requested a token of its own, and is not allowed to.',
    fix: 'Allow it client credentials by `client_credentials_scopes`.',
    toDeveloper: 'Your client may not use client credentials here. Ask the operator.',
  },
  too_many_client_credentials_tokens: {
    by: 'app',
    sentence: 'The client requested more tokens of its own than the limit allows.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Use each access token until it expires (`expires_in`), instead of a new one for each call.',
  },
  client_over_token_limit: {
    by: 'operator',
    sentence: 'The app has had as many tokens in a minute as its limit allows.',
    fix: 'Raise the limit (`clients.update`, `tokensPerMinute`), or ask its developer why it needs so many tokens.',
    toDeveloper:
      'Wait for the time in `Retry-After` and repeat the request: nothing was used up. Use each access token until it expires.',
  },
  client_over_grant_limit: {
    by: 'operator',
    sentence: 'The app has had as many new grants in an hour as its limit allows.',
    fix: 'Raise the limit of new grants (`clients.update`, `grantsPerHour`).',
    toDeveloper: 'Wait for the time in `Retry-After`. Keep the refresh token: a refresh is no new grant.',
  },
} as const satisfies VerdictTexts
