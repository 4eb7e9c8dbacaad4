import { CIBA_GRANT } from '@grantkit/core/backchannel-authentication'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { JWT_BEARER } from '@grantkit/core/jwt-bearer'
import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import type { Config } from '../config/config.ts'
import { takesAssertions } from '../config/jwt-bearer.ts'
import { DAY_SECONDS } from '../config/time-units.ts'

/**
 * What an operator may say of a client, of a rotation of its secret and of an initial access token. The flags of the commands, the
 * schemas of the admin API and the fields of the admin pages are made of these tables.
 */

/** A whole number, with its bounds. */
interface Bounds {
  readonly min: number
  readonly max: number
  readonly byDefault?: number
}

type MemberType =
  | { readonly is: 'text'; readonly max?: number }
  | { readonly is: 'uri' }
  /** A flag is repeated. */
  | { readonly is: 'list' | 'uris'; readonly max: number }
  /** In a flag they are separated by spaces. */
  | { readonly is: 'scopes'; readonly min?: number }
  | { readonly is: 'choice'; readonly choices: readonly string[] }
  /** With the words for `false` and `true` in a flag. */
  | { readonly is: 'boolean'; readonly words?: readonly [no: string, yes: string] }
  | ({ readonly is: 'number' } & Bounds)
  /** Days in a flag and in a form. */
  | ({ readonly is: 'seconds' } & Bounds)
  /** A JSON Web Key set. A flag names its file. */
  | { readonly is: 'keys' }

export interface Member {
  readonly type: MemberType
  readonly words?: string
  /** What a new record is without it. */
  readonly otherwise?: string
  /** Without it, the server ignores the member. */
  readonly needs?: FeatureName
  /** Only a new record has it. */
  readonly isFixed?: boolean
  readonly isRequired?: boolean
  /** Its name at a command. Default: its own with hyphens. `false`: no command sets it. */
  readonly flag?: string | false
  /** Its name on a page. Default: its words. */
  readonly label?: string
}

/** By the name of the member. */
export type MemberTable = Readonly<Record<string, Member>>

type Features = Config['features']

type Feature = readonly [setting: string, isOn: (features: Features) => boolean]

/** The features that members and grant types need. */
const FEATURES = {
  logout: ['LOGOUT=on', ({ logout }) => logout],
  backChannelLogout: ['BACK_CHANNEL_LOGOUT=on', ({ backChannelLogout }) => backChannelLogout],
  par: ['PAR=on', ({ par }) => par !== 'off'],
  dpop: ['DPOP=on', ({ dpop }) => dpop.mode !== 'off'],
  requestObjects: ['REQUEST_OBJECTS=on', ({ requestObjects }) => requestObjects !== 'off'],
  signedResponses: ['SIGNED_RESPONSES=on', ({ signedResponses }) => signedResponses !== 'off'],
  device: ['DEVICE_GRANT=integrations', ({ device }) => device !== 'off'],
  backchannelAuthentication: [
    'BACKCHANNEL_AUTHENTICATION=on',
    ({ backchannelAuthentication }) => backchannelAuthentication,
  ],
  clientCredentials: ['CLIENT_CREDENTIALS=on', ({ clientCredentials }) => clientCredentials],
  tokenExchange: ['TOKEN_EXCHANGE=on', ({ tokenExchange }) => tokenExchange],
  jwtBearer: ['features.jwtBearer', takesAssertions],
} as const satisfies Record<string, Feature>
type FeatureName = keyof typeof FEATURES

/** The setting that the feature waits for; `undefined` if it is on. */
export function missingSetting(feature: FeatureName, features: Features): string | undefined {
  const [setting, isOn] = FEATURES[feature]
  return isOn(features) ? undefined : setting
}

interface GrantOption {
  readonly types: readonly [own: string, ...more: string[]]
  readonly words: string
  readonly needs: FeatureName
}

/** The grant types next to the authorization code, by a name that an operator can type. */
export const GRANTS: Readonly<Record<string, GrantOption>> = {
  device: {
    types: [DEVICE_CODE_GRANT, 'refresh_token'],
    words: 'its users type a code',
    needs: 'device',
  },
  backchannel: {
    types: [CIBA_GRANT, 'refresh_token'],
    words: 'it names a user, who answers at /oauth/requests',
    needs: 'backchannelAuthentication',
  },
  client_credentials: {
    types: ['client_credentials'],
    words: 'it gets tokens for itself and has no users',
    needs: 'clientCredentials',
  },
  token_exchange: {
    types: [TOKEN_EXCHANGE],
    words: 'it may exchange access tokens for narrower ones',
    needs: 'tokenExchange',
  },
  jwt_bearer: { types: [JWT_BEARER], words: 'it presents assertions', needs: 'jwtBearer' },
}

const TEXT = { is: 'text' } as const
const URI = { is: 'uri' } as const
const URIS = { is: 'uris', max: 20 } as const
const SCOPES = { is: 'scopes' } as const
const FLAG = { is: 'boolean' } as const
const LIMIT = { is: 'number', min: 1, max: 1_000_000 } as const
const SECRET_LIFETIME = { is: 'seconds', min: 1, max: 3650 * DAY_SECONDS } as const
const EVERY_SCOPE = 'every scope but admin:read and admin:write'

/** A client, by the names of RFC 7591 and of this server. */
export const CLIENT_MEMBERS: MemberTable = {
  client_name: {
    type: TEXT,
    words: 'the name that its users see',
    otherwise: 'that of known, and required without it',
    flag: 'name',
    label: 'Name',
  },
  known: {
    type: TEXT,
    words: 'a known client, such as cursor: the client gets its name and its redirect URIs',
    isFixed: true,
  },
  redirect_uris: {
    type: URIS,
    words: 'where its users return to',
    flag: 'redirect-uri',
    label: 'Redirect URIs',
  },
  application_type: { type: { is: 'choice', choices: ['native', 'web'] }, flag: false },
  token_endpoint_auth_method: {
    type: TEXT,
    words:
      'how it authenticates: client_secret_basic or client_secret_post, either works if both are offered; private_key_jwt, with which it has no secret; or none, which makes it public',
    flag: 'auth',
  },
  grant_types: { type: { is: 'list', max: 500 }, flag: false },
  scopes: {
    type: SCOPES,
    words: 'what it may ask users for',
    otherwise: EVERY_SCOPE,
    flag: false,
    label: 'Scopes',
  },
  client_credentials_scopes: { type: SCOPES, words: 'the scopes of its own tokens', flag: false },
  id_token_signed_response_alg: {
    type: { is: 'choice', choices: ['RS256', 'ES256', 'EdDSA'] },
    words: 'the algorithm of its ID tokens',
    otherwise: 'RS256, or ES256 with PROFILE=fapi2',
  },
  id_token_claims: {
    type: FLAG,
    words: 'its ID tokens have the claims of the user that its scopes open, such as name and e-mail address',
  },
  client_uri: { type: TEXT, flag: false },
  logo_uri: { type: TEXT, flag: false },
  tos_uri: { type: TEXT, flag: false },
  policy_uri: { type: TEXT, flag: false },
  contacts: { type: { is: 'list', max: 10 }, flag: false },
  software_id: { type: TEXT, flag: false },
  software_version: { type: TEXT, flag: false },
  resource_server: { type: FLAG, words: 'it may introspect every token, and needs no redirect URI' },
  remember_consent: {
    type: FLAG,
    words: 'its users are not asked again for what they allowed it before',
  },
  pkce_optional: {
    type: { is: 'boolean', words: ['required', 'optional'] },
    words: 'it may send no PKCE challenge, but openid and a nonce; not for a public client',
    flag: 'pkce',
  },
  nonce_optional: {
    type: { is: 'boolean', words: ['required', 'optional'] },
    words:
      'only together with optional PKCE: it may send no nonce either, so an injected code is not noticed. For OpenID certification and old software',
    flag: 'nonce',
  },
  tokens_per_minute: { type: LIMIT, words: 'how many tokens it may get in a minute', otherwise: 'no limit' },
  grants_per_hour: {
    type: LIMIT,
    words: 'how many new grants it may get tokens for in an hour',
    otherwise: 'no limit',
  },
  post_logout_redirect_uris: {
    type: URIS,
    words: 'where its users may be sent after signing out',
    needs: 'logout',
    flag: 'post-logout-redirect-uri',
  },
  backchannel_logout_uri: {
    type: URI,
    words: 'where the server tells it that a session has ended',
    needs: 'backChannelLogout',
  },
  backchannel_logout_session_required: {
    type: FLAG,
    words: 'each of these messages must name the session',
    needs: 'backChannelLogout',
  },
  session_bound: {
    type: FLAG,
    words: 'its grants end with the session, except those with offline_access',
    needs: 'backChannelLogout',
  },
  require_pushed_authorization_requests: {
    type: { is: 'boolean', words: ['optional', 'required'] },
    words: 'its authorization requests must be pushed',
    needs: 'par',
    flag: 'push',
  },
  require_signed_request_object: {
    type: { is: 'boolean', words: ['optional', 'required'] },
    words: 'its authorization requests must be signed',
    needs: 'requestObjects',
    flag: 'signed-requests',
  },
  request_object_signing_alg: { type: TEXT, needs: 'requestObjects', flag: false },
  authorization_signed_response_alg: {
    type: { is: 'choice', choices: ['RS256', 'ES256', 'EdDSA'] },
    words: 'the algorithm of the answers to its authorization requests, which are then always signed',
    otherwise: 'answers are signed where it asks for it',
    needs: 'signedResponses',
    flag: 'signed-responses',
  },
  dpop_bound_access_tokens: {
    type: FLAG,
    words: 'its tokens must be bound to a key of its own',
    needs: 'dpop',
    flag: 'dpop',
  },
  token_exchange_resources: {
    type: URIS,
    words: 'the resource it serves: it may exchange the tokens of its callers',
    needs: 'tokenExchange',
    flag: 'token-exchange-resource',
  },
  jwks: { type: { is: 'keys' }, words: 'its public keys, for private_key_jwt' },
  jwks_uri: { type: URI, words: 'where it publishes its keys' },
  token_endpoint_auth_signing_alg: { type: TEXT, flag: false },
  client_secret_expires_in: {
    type: SECRET_LIFETIME,
    words: 'how long its secret is valid',
    otherwise: 'without end',
    isFixed: true,
    flag: 'expires-in-days',
  },
}

/** What a command says in short: the operator makes members of a client of it. */
export const SHORT_MEMBERS: MemberTable = {
  scope: {
    type: SCOPES,
    words: 'the scopes it may request; of a client with client_credentials, those of its own tokens',
    otherwise: EVERY_SCOPE,
  },
  grant: {
    type: { is: 'list', max: 20 },
    words: `${Object.entries(GRANTS)
      .map(([name, { words, needs }]) => `${name}: ${words}, with ${FEATURES[needs][0]}`)
      .join('. ')}. Next to the code, if it has a redirect URI`,
  },
}

/** A rotation of a client's secret. */
export const ROTATION_MEMBERS: MemberTable = {
  overlap: {
    type: { is: 'seconds', min: 0, max: 30 * DAY_SECONDS, byDefault: DAY_SECONDS },
    words: 'how long the secret in use stays valid; 0 if it leaked',
    flag: 'overlap-days',
  },
  expires_in: {
    type: SECRET_LIFETIME,
    words: 'how long the new secret is valid',
    otherwise: 'without end',
    flag: 'expires-in-days',
  },
  new_secret_lost: {
    type: FLAG,
    words: 'the last new secret was lost before it was in use: replace it, and keep the one in use',
  },
}

/** An initial access token (RFC 7591 3). */
export const INITIAL_TOKEN_MEMBERS: MemberTable = {
  label: { type: { is: 'text', max: 60 }, words: 'for whom it is', isRequired: true },
  uses: {
    type: { is: 'number', min: 1, max: 10_000, byDefault: 1 },
    words: 'how many clients may register with it',
  },
  expires_in: {
    type: { is: 'seconds', min: 1, max: 366 * DAY_SECONDS, byDefault: DAY_SECONDS },
    words: 'how long it is valid',
    flag: 'days',
    label: 'Days that it is valid',
  },
  scopes: {
    type: { is: 'scopes', min: 1 },
    words: 'all that its clients may ever request',
    otherwise: EVERY_SCOPE,
    flag: 'scope',
    label: 'Scopes',
  },
}

/** What an operator gave, by the names of a table. `null`: as if a new record had not had the member. */
export type Given = Readonly<Record<string, unknown>>

/** What a member is, and the setting that it needs. */
export function wordsOf({ words, needs }: Member): string | undefined {
  return words === undefined || needs === undefined ? words : `${words}, with ${FEATURES[needs][0]}`
}

/** The bounds of a number, or of a number of days. */
export function boundsOf(type: Member['type']) {
  if (type.is === 'number') return type
  if (type.is !== 'seconds') return undefined
  const days = (seconds: number) => Math.ceil(seconds / DAY_SECONDS)
  const { min, max, byDefault } = type
  return { min: days(min), max: days(max), byDefault: byDefault && days(byDefault) }
}
