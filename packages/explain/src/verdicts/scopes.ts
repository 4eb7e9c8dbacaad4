import { DEVELOPER_ONLY, type VerdictTexts } from './verdict-text.ts'

/** Scopes and resources. */
export const SCOPE_VERDICTS = {
  scope_missing: {
    by: 'app',
    sentence: 'The app requested no scope, and there is no default.',
    fix: 'Set the scopes of such a request (`defaultScope`, `DEFAULT_SCOPE`).',
    toDeveloper: 'Send `scope` with names of `scopes_supported`, or those of the challenge of the API.',
  },
  scope_malformed: {
    by: 'app',
    sentence: 'The `scope` of the app is not a list of names.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send `scope` as names with single spaces between them, without commas.',
  },
  scope_unknown: {
    by: 'app',
    sentence: 'The app requested a scope that does not exist here.',
    fix: 'Correct the scopes in the settings of the app, or add the scope to the catalogue.',
    toDeveloper: 'Request only names of `scopes_supported` in the metadata; other servers have other names.',
  },
  scope_not_registered: {
    by: 'app',
    sentence: 'The app requested a scope that its registration does not have.',
    fix: 'Add the scope to the static client, or correct the document of the app. A restricted scope, such as `admin:read`, is for static clients that name it.',
    toDeveloper: 'Name every scope that you request in `scope` of your registration or document.',
  },
  scope_not_granted: {
    by: 'app',
    sentence: 'The app requested, at a refresh, a scope that the user has not allowed.',
    fix: 'The user connects the app again and leaves the scope ticked.',
    toDeveloper: 'Request only allowed scopes at a refresh. For more, begin a new authorization.',
  },
  resource_unknown: {
    by: 'app',
    sentence: 'The app requested a token for a `resource` that is not one of this server.',
    fix: 'Compare the two addresses: often a slash, the path or http differs. Add the resource if it is yours (`resources`, `RESOURCES`).',
    toDeveloper: 'Send the `resource` of the protected resource metadata, byte for byte.',
    doctorCheck: 'resource-metadata',
  },
  resource_not_granted: {
    by: 'app',
    sentence: 'The app requested a token for a `resource` that it had not named in the authorization.',
    fix: DEVELOPER_ONLY,
    toDeveloper:
      'Send the same `resource` with the code and at each refresh as in the authorization request.',
    doctorCheck: 'resource-metadata',
  },
  resource_gone: {
    by: 'operator',
    sentence: 'The resource that the user allowed is no longer one of this server.',
    fix: 'If its address changed by mistake, restore it (`resources`, `RESOURCES`). Otherwise the user connects the app again.',
    toDeveloper:
      'The address of the API has changed. Read its metadata again, and let the user sign in again.',
    doctorCheck: 'resource-metadata',
  },
  resource_needs_proof: {
    by: 'app',
    sentence: 'The resource accepts only tokens that are bound to a key, and the app sent no DPoP proof.',
    fix: 'Switch DPoP on in the app, or accept bearer tokens at this resource.',
    toDeveloper: 'Send a DPoP proof with the token request (RFC 9449), or name another `resource`.',
    doctorCheck: 'dpop',
  },
} as const satisfies VerdictTexts
