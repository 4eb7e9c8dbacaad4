import { DEVELOPER_ONLY, NOTHING_TO_FIX, type VerdictText, type VerdictTexts } from './verdict-text.ts'

const REDIRECT_URI_HERE =
  'Send a `redirect_uri` on the computer of the user, such as `http://127.0.0.1:8080/callback`, or ask the operator to allow yours.'

const ALLOW_REDIRECT_URI =
  'If it is a known client, add it to `KNOWN_CLIENTS`. Otherwise register the app as a static client, or trust its document (`admit`, `CIMD_ADMIT`).'

/** What is different for a client that the operator registered. */
export const STATIC_CLIENT_VERDICTS: Readonly<Record<string, Partial<VerdictText>>> = {
  redirect_uri_not_registered: {
    fix: 'If the address is right, add it: `clients update <client_id> --redirect-uri <uri>`, with every address that the client has. Of a loopback address only the port may differ.',
    toDeveloper:
      'Send a registered `redirect_uri`, byte for byte; of a loopback address the port may be another one. Or ask the operator to add the address.',
  },
}

/** Whether the app is known, and where it may be answered. */
export const CLIENT_VERDICTS = {
  client_unknown: {
    by: 'app',
    sentence: 'The app uses a `client_id` that does not exist here, or not any more.',
    fix: 'Remove the connection in the app and add it again; `mcp-remote` keeps its id until the folder `~/.mcp-auth` is removed. If many apps have this error, the store was lost: keep it over deployments. An https `client_id` needs client ID metadata documents, switched on here.',
    toDeveloper:
      'Register again when the server answers `invalid_client`, at the `registration_endpoint` of the metadata, or use the address of a client ID metadata document as `client_id` where the metadata has `client_id_metadata_document_supported`. Without both, ask the operator to register the app. Then begin the authorization anew.',
    doctorCheck: 'unknown-client',
  },
  client_not_approved: {
    by: 'app',
    sentence: 'The app, which a document describes, requested tokens before any user had allowed it.',
    fix: 'Begin the sign-in again in the app.',
    toDeveloper: 'Begin at the authorization endpoint: a client ID metadata document is read there first.',
  },
  document_unreachable: {
    by: 'network',
    sentence: 'The host of the client ID metadata document gave this server no valid answer in time.',
    fix: 'Run the doctor with `--client` on the host of the server. If the host refuses this network, pin a copy of the document (`pinned`, `CIMD_PINNED`).',
    toDeveloper:
      'The `client_id` must be the address of a client metadata document that answers at once, without a redirect and without a bot wall, from every network.',
    doctorCheck: 'client-host',
  },
  document_invalid: {
    by: 'app',
    sentence: 'The address that the app uses as `client_id` has no valid client ID metadata document.',
    fix: 'Run the doctor with `--client`. If the document requires a secret that this server does not offer, register the app as a static client.',
    toDeveloper:
      'The `client_id` must be the address of a client metadata document, which answers with JSON that names this address as its `client_id`, and an authentication method that the server offers, such as `none`.',
    doctorCheck: 'client-document',
  },
  document_refused: {
    by: 'app',
    sentence:
      'The client ID metadata document of the app is valid, and a feature of this server does not accept the client that it describes.',
    fix: '`fault` says why. If the app should be accepted, change the settings of the feature that refuses it.',
    toDeveloper:
      'Your client metadata document was read, and this server does not accept the client that it describes. The description of the error says why: change the document, or ask the operator.',
  },
  client_keys_unreachable: {
    by: 'network',
    sentence: 'The host of the keys of the client (`jwks_uri`) gave this server no valid answer in time.',
    fix: 'Fetch the address on the host of the server. If its host refuses this network, ask its publisher, or put the keys into the metadata (`jwks`).',
    toDeveloper: 'Serve your `jwks_uri` at once, without a redirect, to every network, or send `jwks`.',
  },
  redirect_uri_missing: {
    by: 'app',
    sentence: 'The authorization request has no `redirect_uri`.',
    fix: DEVELOPER_ONLY,
    toDeveloper:
      'Send a registered `redirect_uri` with each authorization request, even if there is only one.',
  },
  redirect_uri_not_registered: {
    by: 'app',
    sentence: 'The app sent a `redirect_uri` that it has not registered.',
    fix: 'Remove the connection in the app and add it again, so that it registers the new address. For a static client, correct its redirect URIs. Of a loopback address only the port may differ.',
    toDeveloper:
      'Send a `redirect_uri` that the client registered, byte for byte; of a loopback address the port may be another one. For another address, register anew, add it to your document, or ask the operator to add it to your static client.',
    doctorCheck: 'loopback-port',
  },
  redirect_uri_not_accepted: {
    by: 'operator',
    sentence:
      'The document of the app lists a redirect URI of a website or an app scheme, which is not allowed here.',
    fix: ALLOW_REDIRECT_URI,
    toDeveloper: REDIRECT_URI_HERE,
    doctorCheck: 'client-redirects',
  },
  redirect_uri_refused: {
    by: 'operator',
    sentence:
      'The app tried to register a redirect URI of a website or an app scheme, which is not allowed here.',
    fix: ALLOW_REDIRECT_URI,
    toDeveloper: REDIRECT_URI_HERE,
  },
  known_client_off: {
    by: 'operator',
    sentence: 'The redirect URI belongs to a known client that is not allowed here.',
    fix: 'Add this client to `KNOWN_CLIENTS` if its users should sign in here.',
    toDeveloper: 'Your app is known, and this server does not allow it. Ask the operator.',
  },
  client_metadata_invalid: {
    by: 'app',
    sentence:
      'The app tried to register with metadata that are not valid; the description of the error names the member.',
    fix: 'Compare what the app wants with the metadata of the server. A static client can have other values.',
    toDeveloper:
      'Register with values that the metadata of the server lists. `error_description` names the wrong member.',
    doctorCheck: 'registration',
  },
  client_cannot_authenticate: {
    by: 'operator',
    sentence: 'The document of the app names no authentication method that this server offers.',
    fix: 'Offer the method that the document names (`clientAuthentication`, `CLIENT_AUTHENTICATION`), or register the app as a static client.',
    toDeveloper:
      'Name a method of `token_endpoint_auth_methods_supported` in your document; `none` suits an app without a secret.',
    doctorCheck: 'client-authentication',
  },
  too_many_registrations: {
    by: 'operator',
    sentence: 'More clients registered from one address than the limit allows.',
    fix: 'If all requests seem to come from your proxy, set `TRUST_PROXY`. For a service that registers a client for each of its users, use a known client or a static client.',
    toDeveloper: 'Register once, keep the `client_id`, and wait for the time in `Retry-After`.',
    doctorCheck: 'registration',
  },
  too_many_unknown_documents: {
    by: 'user',
    sentence: 'One user tried many apps that no user has allowed here before.',
    fix: 'The limit resets by itself. If the user did not do this, somebody sends links to them.',
    toDeveloper: 'Wait for the time in `Retry-After`, and use the same `client_id` for each user.',
  },
  initial_access_token_missing: {
    by: 'app',
    sentence: 'The app registered without the initial access token that this server demands.',
    fix: 'Make a token for it, and enter it in the settings of the app; or add it as a static client.',
    toDeveloper: 'Send `Authorization: Bearer` with the initial access token of the operator (RFC 7591 3).',
  },
  initial_access_token_invalid: {
    by: 'app',
    sentence: 'The initial access token of the app is unknown, expired or used up.',
    fix: 'Make another token for it, with more uses or a later end.',
    toDeveloper:
      'Ask the operator for another initial access token, and keep what you registered: one registration is enough.',
  },
} as const satisfies VerdictTexts

const PROOF_AND_METADATA = 'Compare the proof with the metadata of the client.'

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
    fix: PROOF_AND_METADATA,
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

const CLOCK_OF_CLIENT =
  'Compare the clocks of the server and of the client. The doctor measures that of the server.'
const ASSERTION_AND_METADATA = 'Compare the assertion with the metadata of the client.'

/** Client assertions: clients that authenticate with a key. */
export const ASSERTION_VERDICTS = {
  assertion_malformed: {
    by: 'app',
    sentence: 'The client assertion is not a JWT that can be read.',
    fix: ASSERTION_AND_METADATA,
    toDeveloper: 'Send one signed JWT in compact form as `client_assertion` (RFC 7523 3).',
  },
  assertion_algorithm: {
    by: 'app',
    sentence: 'The client assertion is signed with an algorithm that is not accepted for this client.',
    fix: ASSERTION_AND_METADATA,
    toDeveloper:
      'Sign with an algorithm of `token_endpoint_auth_signing_alg_values_supported`, and with the registered one if there is one.',
    doctorCheck: 'client-authentication',
  },
  assertion_typ: {
    by: 'app',
    sentence: 'The client assertion is a JWT for another purpose, by its `typ`.',
    fix: ASSERTION_AND_METADATA,
    toDeveloper: 'Leave out `typ` of the client assertion, or use `JWT` or `client-authentication+jwt`.',
  },
  assertion_issuer: {
    by: 'app',
    sentence: 'The client assertion does not name the client as its issuer and subject.',
    fix: ASSERTION_AND_METADATA,
    toDeveloper: 'Set `iss` and `sub` of the client assertion to the `client_id`.',
  },
  assertion_audience: {
    by: 'app',
    sentence:
      'The `aud` of the client assertion is not this server: it is the address of an endpoint, or another server.',
    fix: "Many libraries name the token endpoint: `clientAssertion({ audiences: 'endpoints' })` accepts it. If the app names another server, correct the address in the app.",
    toDeveloper: 'Set `aud` of the client assertion to the `issuer` of the metadata, byte for byte.',
    doctorCheck: 'issuer',
  },
  assertion_expired: {
    by: 'app',
    sentence: 'The client assertion has expired.',
    fix: CLOCK_OF_CLIENT,
    toDeveloper: 'Make a new client assertion for each request, and check the clock of your computer.',
    doctorCheck: 'clock',
  },
  assertion_too_long: {
    by: 'app',
    sentence: 'The client assertion is valid for longer than is accepted here.',
    fix: 'If the library has no setting for it, `maxLifetime` of `clientAssertion()` accepts more seconds.',
    toDeveloper: 'Let a client assertion expire after a minute, and make a new one for each request.',
  },
  assertion_early: {
    by: 'app',
    sentence: 'The client assertion is not valid yet.',
    fix: CLOCK_OF_CLIENT,
    toDeveloper:
      'Check the clock of your computer: `nbf` or `iat` of the client assertion lies in the future.',
    doctorCheck: 'clock',
  },
  assertion_jti: {
    by: 'app',
    sentence: 'The client assertion has no usable `jti`.',
    fix: ASSERTION_AND_METADATA,
    toDeveloper: 'Give each client assertion a fresh random `jti`.',
  },
  assertion_signature: {
    by: 'app',
    sentence: 'No key of the client verifies the signature of its client assertion.',
    fix: 'Look whether the client has new keys: its `jwks` or `jwks_uri` must have the one that it signs with.',
    toDeveloper: 'Sign with a key of your registered `jwks` or `jwks_uri`, and name it by `kid`.',
  },
  assertion_replayed: {
    by: 'app',
    sentence: 'The client assertion was used before.',
    fix: 'If the app does not repeat its requests, somebody has a copy of the assertion.',
    toDeveloper: 'Make a new client assertion with a fresh `jti` for each request, also for a retry.',
  },
} as const satisfies VerdictTexts

const TRUST = 'Compare the assertion with the trust of its issuer in the options of the server.'
const CLOCK_OF_ISSUER = 'Compare the clocks of the server and of the issuer.'
const ANOTHER = 'Request another assertion from the issuer, and present it at once.'

/** JWT authorization grants: ID-JAGs and tokens of workloads. */
export const JWT_GRANT_VERDICTS = {
  jwt_grant_malformed: {
    by: 'app',
    sentence: 'The assertion is not a signed JWT that can be read.',
    fix: TRUST,
    toDeveloper: 'Send one JWS in compact form as `assertion`, unencrypted and without `crit` (RFC 7523 3).',
  },
  jwt_grant_typ: {
    by: 'app',
    sentence: 'The assertion is a JWT for another purpose, by its `typ`.',
    fix: 'Look whether the app sends an ID token or an access token in place of an ID-JAG.',
    toDeveloper: 'An ID-JAG has the `typ` `oauth-id-jag+jwt`; the token of a workload has `JWT` or none.',
  },
  jwt_grant_issuer: {
    by: 'operator',
    sentence: 'The issuer of the assertion is not trusted.',
    fix: 'Add a trust with exactly this issuer, if it should be trusted. A slash at the end counts.',
    toDeveloper: 'Ask the operator whether the identity provider is trusted.',
  },
  jwt_grant_algorithm: {
    by: 'operator',
    sentence: 'The assertion is signed with an algorithm that its trust does not accept.',
    fix: 'Add the algorithm to the trust, if it is ES256, EdDSA, PS256 or RS256.',
    toDeveloper: 'Sign by ES256 or RS256.',
  },
  jwt_grant_signature: {
    by: 'operator',
    sentence: 'No key of the issuer verifies the signature of the assertion.',
    fix: 'Look whether the trust has the current keys of the issuer.',
    toDeveloper: 'Sign with a published key of the issuer, and name it by `kid`.',
  },
  jwt_grant_claims: {
    by: 'app',
    sentence: 'A claim of the assertion is missing or malformed.',
    fix: TRUST,
    toDeveloper:
      'An ID-JAG has `iss`, `sub`, `aud`, `client_id`, `jti`, `iat` and `exp`, `tenant` where issuers are shared, and no `authorization_details`.',
  },
  jwt_grant_audience: {
    by: 'app',
    sentence: 'The assertion is for another server.',
    fix: 'Set the audience at the issuer to the `issuer` of this server, byte for byte.',
    toDeveloper:
      'Request the assertion for the `issuer` in the metadata of the server, and for no other server.',
  },
  jwt_grant_expired: {
    by: 'app',
    sentence: 'The assertion has expired.',
    fix: CLOCK_OF_ISSUER,
    toDeveloper: ANOTHER,
  },
  jwt_grant_early: {
    by: 'app',
    sentence: 'The assertion is not valid yet.',
    fix: CLOCK_OF_ISSUER,
    toDeveloper: CLOCK_OF_ISSUER,
  },
  jwt_grant_too_long: {
    by: 'operator',
    sentence: 'The assertion is valid for longer than its trust accepts.',
    fix: 'Shorten the lifetime at the issuer, or set `maxAssertionLifetime` of the trust.',
    toDeveloper: 'Request an assertion with a shorter lifetime.',
  },
  jwt_grant_replayed: {
    by: 'app',
    sentence: 'The assertion was used before.',
    fix: 'If the app does not repeat its requests, somebody has a copy of the assertion.',
    toDeveloper: ANOTHER,
  },
  jwt_grant_client: {
    by: 'operator',
    sentence: 'The assertion is for another client, or the trust does not admit this one.',
    fix: 'Compare `clients` of the trust, and the client id that the identity provider has for this server.',
    toDeveloper: 'Request the assertion for the `client_id` that you have at this server.',
  },
  jwt_grant_resource: {
    by: 'operator',
    sentence: 'The assertion is for a resource that its trust does not give.',
    fix: TRUST,
    toDeveloper: 'Request the assertion for the `resource` of the protected resource metadata.',
  },
  jwt_grant_subject: {
    by: 'operator',
    sentence: 'The user of the assertion is not known here, or not active.',
    fix: 'Let the user sign in here once by the same identity provider, so that the account is linked.',
    toDeveloper: 'The user needs an account here that is linked to the identity provider.',
  },
  jwt_grant_key: {
    by: 'app',
    sentence: 'The assertion is bound to a key, which the request does not prove.',
    fix: 'Enable DPoP on this server, if the identity provider binds its assertions to keys.',
    toDeveloper: 'Send a DPoP proof of the key in `cnf` of the assertion.',
  },
  jwt_grant_rule: {
    by: 'operator',
    sentence: 'No rule for workloads matches the claims, or several do.',
    fix: 'Compare the claims of the token with the rules. Exactly one may match.',
    toDeveloper: 'Send the `client_id` too, and the token of the right workload.',
  },
  jwt_grant_client_public: {
    by: 'operator',
    sentence: 'A public client presented an ID-JAG.',
    fix: 'Register the client with a secret or keys.',
    toDeveloper: 'Authenticate with the credentials of your client.',
  },
  jwt_grant_scope: {
    by: 'operator',
    sentence: 'The assertion, its trust, the client and the request have no scope in common.',
    fix: TRUST,
    toDeveloper: 'Request scopes that the assertion has.',
  },
  jwt_grant_target: {
    by: 'app',
    sentence: 'The request names a resource that the assertion does not give, or none of several.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send the `resource` that you requested the assertion for.',
  },
  jwt_grant_keys_unreachable: {
    by: 'server',
    sentence: 'The keys of the issuer cannot be fetched.',
    fix: 'The event `client_keys_failed` says why. For an issuer that this server cannot reach, set `jwks` in its trust.',
    toDeveloper: 'Try again later.',
  },
  too_many_jwt_grants: {
    by: 'app',
    sentence: 'The client requested too many tokens for one user or workload.',
    fix: 'Raise the limit `jwt_bearer`, if the client needs as many.',
    toDeveloper: 'Use a token until it expires.',
  },
} as const satisfies VerdictTexts
