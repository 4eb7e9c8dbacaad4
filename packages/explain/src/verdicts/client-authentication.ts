import { DEVELOPER_ONLY, type VerdictTexts } from './verdict-text.ts'

const ITS_METADATA = 'Compare the proof with the metadata of the client.'

/** How a client proves who it is, at the endpoints that it calls itself. */
export const CLIENT_AUTHENTICATION_VERDICTS = {
  client_not_identified: {
    by: 'app',
    sentence: 'The request names no client.',
    fix: 'If the app sends HTTP Basic, look for a proxy that removes the `Authorization` header.',
    toDeveloper: 'Send `client_id` in the body of each request, or HTTP Basic where the metadata offers it.',
    doctorCheck: 'token-error',
  },
  client_auth_methods_mixed: {
    by: 'app',
    sentence: 'The app used two authentication methods in one request.',
    fix: 'Choose one method in the settings of the app.',
    toDeveloper: 'Use one authentication method: not the header and the body at once (RFC 6749 2.3).',
  },
  client_auth_method_mismatch: {
    by: 'app',
    sentence: 'The app used another authentication method than it is registered for.',
    fix: 'Set the method in the settings of the app, or register it with this method. A public client sends no secret. `CLIENT_AUTHENTICATION` decides which methods are offered.',
    toDeveloper:
      'Authenticate with the `token_endpoint_auth_method` of your registration, also if other methods are offered.',
    doctorCheck: 'client-authentication',
  },
  client_secret_wrong: {
    by: 'app',
    sentence: 'The app sent a wrong client secret.',
    fix: 'Enter the secret again in the settings of the app, or give the static client a new one.',
    toDeveloper: 'Send the secret of this `client_id`, unchanged. In HTTP Basic it is form-encoded first.',
  },
  client_secret_expired: {
    by: 'operator',
    sentence: 'The app sent a client secret that has expired.',
    fix: 'Enter its newest secret in the settings of the app, or rotate the secret: `clients rotate`.',
    toDeveloper:
      'Send the newest secret of this `client_id`. If yours was the newest, ask the operator for another.',
  },
  client_proof_invalid: {
    by: 'app',
    sentence: 'The proof by which the client authenticates is not valid.',
    fix: ITS_METADATA,
    toDeveloper: 'Check the proof by which your app authenticates: its key, its times and its audience.',
  },
  client_not_confidential: {
    by: 'app',
    sentence: 'A client without a secret called an endpoint that needs one.',
    fix: 'Register a static client with a secret for it.',
    toDeveloper: 'This endpoint needs a client that authenticates. Ask the operator for one.',
  },
  client_basic_malformed: {
    by: 'app',
    sentence: 'The `Authorization` header of the app cannot be read as HTTP Basic.',
    fix: DEVELOPER_ONLY,
    toDeveloper:
      'Send `Basic` and the base64 of `client_id:client_secret`, each form-encoded first (RFC 6749 2.3.1).',
  },
  client_basic_of_other_client: {
    by: 'app',
    sentence: 'The header and the body of the request name different clients.',
    fix: 'Look for an old `client_id` in the settings of the app.',
    toDeveloper: 'Send the same `client_id` in the header and in the body, or leave it out of the body.',
  },
  client_basic_not_offered: {
    by: 'operator',
    sentence: 'The app authenticated with HTTP Basic, which is not offered here.',
    fix: 'Offer `client_secret_basic` (`clientAuthentication`, `CLIENT_AUTHENTICATION`) if the app cannot send its secret in the body.',
    toDeveloper:
      'Use a method of `token_endpoint_auth_methods_supported`: send `client_id` and `client_secret` in the body.',
    doctorCheck: 'client-authentication',
  },
  too_many_failures: {
    by: 'app',
    sentence: 'So many requests of this client failed that it has to wait.',
    fix: 'Look at its earlier attempts: they show what failed. The limit resets by itself.',
    toDeveloper: 'Do not repeat a failed request unchanged, and wait for the time in `Retry-After`.',
  },
} as const satisfies VerdictTexts
