import { DEVELOPER_ONLY, type VerdictText, type VerdictTexts } from './verdict-text.ts'

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
