import { isOnByDefault, KNOWN_CLIENTS } from '@grantkit/known-clients'
import * as z from 'zod'
import { choice, field, listed, type Origin, path, seconds, text, toggle, whole } from './fields.ts'
import { JwtBearer } from './jwt-bearer.ts'

const METHODS = ['none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt'] as const
export type ClientAuthenticationMethod = (typeof METHODS)[number]
const METHODS_EXPECTED = `must be a list of ${METHODS.join(', ')}`

const Dpop = z.strictObject({
  mode: field(
    choice(['off', 'on', 'required']).default('off'),
    '`on`: DPoP binds the tokens of clients that send proofs. `required`: every token must be bound',
    { variable: 'DPOP', guide: 'how-to/dpop.md' },
  ),
  replay: field(
    choice(['window', 'strict']).default('window'),
    '`strict`: the APIs and UserInfo accept each proof once, for one write per request with a bound token, and respond with 503 while the store is down. `window`: for some minutes',
    { variable: 'DPOP_REPLAY' },
  ),
})

const ClientAssertion = z.strictObject({
  audiences: field(
    choice(['issuer', 'endpoints']).default('issuer'),
    'what `aud` of an assertion of `private_key_jwt` may be. `endpoints`: the token endpoint and the other endpoints of clients too, for libraries that name one, such as Spring Security, MSAL and Authlib',
    {
      variable: 'CLIENT_ASSERTION_AUDIENCES',
      guide: 'how-to/client-credentials.md#with-keys-instead-of-a-secret',
    },
  ),
  maxLifetime: field(
    seconds(600, 1, 86_400),
    'how many seconds ahead `exp` of an assertion of `private_key_jwt` may be, maximum 86400. Authlib sends 3600',
    { variable: 'CLIENT_ASSERTION_MAX_LIFETIME' },
  ),
})

const ForwardAuth = z.strictObject({
  enabled: field(toggle(false), 'forward auth at `/api/oauth/verify`', {
    variable: 'FORWARD_AUTH',
    guide: 'how-to/forward-auth.md',
  }),
  clientCredentials: field(
    toggle(false),
    'client-credentials tokens pass the gateway too, with `-` in `X-Auth-Subject`',
    {
      variable: 'FORWARD_AUTH_CLIENT_CREDENTIALS',
      guide: 'how-to/forward-auth.md#client-credentials-tokens',
    },
  ),
  origin: field(
    text()
      .regex(/^https?:\/\/[^/?#\s]+$/, 'must be an http or https origin, without a path')
      .optional(),
    'the public origin of the gateway, such as `https://notes.example`: with DPoP, bound tokens pass it. `DPOP=required` needs it',
    {
      variable: 'FORWARD_AUTH_ORIGIN',
      otherwise: 'bound tokens do not pass',
      guide: 'how-to/forward-auth.md#bound-tokens',
    },
  ),
})

const JwtAccessTokens = z.strictObject({
  enabled: field(
    toggle(false),
    'access tokens for one resource are JWTs, with a revocation feed at `/api/oauth/ended`. A resource may decide for itself',
    { variable: 'JWT_ACCESS_TOKENS', guide: 'how-to/jwt-access-tokens.md' },
  ),
  lifetime: field(seconds(300, 1, 600), 'lifetime of a JWT access token in seconds, maximum 600', {
    variable: 'JWT_ACCESS_TOKEN_LIFETIME',
  }),
})

/** What the server can do, by feature. */
export const Features = (origin: Origin) =>
  z.strictObject({
    clientAuthentication: field(
      z
        .array(z.enum(METHODS, { error: METHODS_EXPECTED }), { error: METHODS_EXPECTED })
        .default(['none', 'client_secret_post']),
      'how clients may authenticate: `none`, `client_secret_post`, `client_secret_basic`, and `private_key_jwt` for static clients with their own keys and for clients whose documents have keys. Many libraries support only Basic; if both are enabled, a client may use either',
      {
        variable: 'CLIENT_AUTHENTICATION',
        otherwise: '`none,client_secret_post`',
        guide: 'how-to/client-documents.md#with-keys-of-its-own',
      },
    ),
    clientAssertion: ClientAssertion.prefault({}),
    clientCredentials: field(
      toggle(false),
      'the client credentials grant for static clients; it enables `client_secret_basic` and `private_key_jwt` too',
      { variable: 'CLIENT_CREDENTIALS', guide: 'how-to/client-credentials.md' },
    ),
    registration: field(
      toggle(true),
      '`off`: no dynamic client registration; the operator adds each client',
      { variable: 'REGISTRATION' },
    ),
    initialAccessTokens: field(
      toggle(false),
      'clients register themselves only with an initial access token, which an operator makes with `clients add-token`',
      { variable: 'INITIAL_ACCESS_TOKENS', guide: 'how-to/static-clients.md#registration-with-a-token' },
    ),
    clientDocuments: z.strictObject(clientDocumentFields(origin)).prefault({}),
    knownClients: knownClientsField,
    idTokenClaims: field(
      toggle(false),
      'ID tokens have the claims of the user that the granted scopes open, such as name and e-mail address, for every client; `off`: only for static clients with `--id-token-claims`',
      { variable: 'ID_TOKEN_CLAIMS', guide: 'how-to/static-clients.md' },
    ),
    formPost: field(
      toggle(false),
      'clients may get the answer to an authorization request by a form that the browser posts (`response_mode=form_post`)',
      { variable: 'FORM_POST', guide: 'how-to/form-post.md' },
    ),
    logout: field(toggle(false), 'RP-initiated logout at `/oauth/logout`', {
      variable: 'LOGOUT',
      guide: 'how-to/logout.md',
    }),
    backChannelLogout: field(
      toggle(false),
      'back-channel logout: the server tells static clients with `--backchannel-logout-uri` when a session ends, by a signed message over the internet',
      { variable: 'BACK_CHANNEL_LOGOUT', guide: 'how-to/logout.md#back-channel-logout' },
    ),
    jwtAccessTokens: JwtAccessTokens.prefault({}),
    jwtBearer: JwtBearer.prefault({}),
    device: field(
      choice(['off', 'integrations', 'all']).default('off'),
      '`integrations`: the device grant for static clients, with the user code typed at `/oauth/device`; `all`: for self-registered clients too, with read scopes only. Then anyone can send people such a code (phishing)',
      { variable: 'DEVICE_GRANT', guide: 'how-to/device-authorization.md' },
    ),
    backchannelAuthentication: field(
      toggle(false),
      'backchannel authentication (CIBA): static clients that cannot use a browser name a user, who answers at `/oauth/requests`',
      { variable: 'BACKCHANNEL_AUTHENTICATION', guide: 'how-to/backchannel-authentication.md' },
    ),
    pastedCallbacks: field(
      toggle(false),
      'the consent page of an app with a loopback redirect URI offers "My app runs on another machine", and then shows the URL to paste there',
      { variable: 'PASTED_CALLBACKS', guide: 'how-to/device-authorization.md#loopback-from-another-machine' },
    ),
    dpop: Dpop.prefault({}),
    forwardAuth: ForwardAuth.prefault({}),
    organizations: Organizations.prefault({}),
    par: field(
      choice(['off', 'on', 'required']).default('off'),
      '`on`: clients may use PAR; `required`: all must',
      { variable: 'PAR', guide: 'how-to/par.md' },
    ),
    personalTokens: PersonalTokens.prefault({}),
    profile: field(
      choice(['fapi2']).optional(),
      '`fapi2`: the FAPI 2.0 Security Profile: only static clients with keys, PAR for every request, DPoP for every token. It sets `clientAuthentication`, `registration`, `clientDocuments`, `knownClients`, `dpop` and `par`',
      { variable: 'PROFILE', guide: 'how-to/fapi2.md' },
    ),
    requestObjects: field(
      choice(['off', 'on', 'required']).default('off'),
      '`on`: clients may sign their authorization requests (JAR); `required`: all must. The keys are those for `private_key_jwt`, which it enables too. With `profile` both mean `required`',
      { variable: 'REQUEST_OBJECTS', guide: 'how-to/signed-requests.md' },
    ),
    signedResponses: field(
      choice(['off', 'on', 'required']).default('off'),
      '`on`: clients may get signed answers to their authorization requests (JARM); `required`: all do. With `profile` both mean `required`',
      { variable: 'SIGNED_RESPONSES', guide: 'how-to/signed-requests.md#signed-responses' },
    ),
    refreshTokenExpiration: field(
      toggle(false),
      'token responses say in `refresh_token_timeout` and `authorization_expires_in` when a refresh token and its grant end',
      {
        variable: 'REFRESH_TOKEN_EXPIRATION',
        guide: 'how-to/browser-apps.md#tell-the-application-when-the-sign-in-ends',
      },
    ),
    stepUp: field(
      toggle(false),
      'step-up authentication: clients may demand a passkey with `acr_values=phr`, and tokens say how the user signed in: `pwd` or `phr`',
      { variable: 'STEP_UP', guide: 'how-to/step-up.md' },
    ),
    tokenExchange: field(toggle(false), 'token exchange', {
      variable: 'TOKEN_EXCHANGE',
      guide: 'how-to/token-exchange.md',
    }),
  })

const ORGANIZATIONS_GUIDE = 'how-to/organizations.md#in-the-server'

/** Grants for one organization of their user. */
const Organizations = z.strictObject({
  from: field(
    text().optional(),
    'each grant is for one organization of its user, who chooses at consent: the claim of the user that lists them, as `{ id, name }` or as names, such as `organizations` or `roles`',
    { variable: 'ORGANIZATIONS', otherwise: 'off', guide: ORGANIZATIONS_GUIDE },
  ),
  none: field(
    choice(['allow', 'refuse']).default('allow'),
    'what a user without an organization gets: `allow`: tokens without `org_id`; `refuse`: no token',
    { variable: 'ORGANIZATIONS_NONE', guide: ORGANIZATIONS_GUIDE },
  ),
  parameter: field(text().default('organization'), 'the parameter by which a request names an organization', {
    guide: ORGANIZATIONS_GUIDE,
  }),
  claim: field(text().default('org_id'), 'the claim of tokens with the id of the organization', {
    guide: ORGANIZATIONS_GUIDE,
  }),
})

const DOCUMENT = /^https:\/\/\S+$/
const ADDRESS = /^((?:\d+\.){3}\d+:\d+|\[[\da-f:]+\]:\d+)$/i
const HOSTS_EXPECTED = 'must be names with an address and a port, app.dev=127.0.0.1:8443, separated by commas'

/** Client ID metadata documents (CIMD). */
const clientDocumentFields = (origin: Origin) => ({
  enabled: field(toggle(true), '`off`: no client ID metadata documents, neither pinned nor fetched', {
    variable: 'CIMD',
    guide: 'how-to/client-documents.md',
  }),
  pinned: field(
    path(origin).optional(),
    'a file with a JSON list of client ID metadata documents, as their hosts publish them; these are never fetched',
    { variable: 'CIMD_PINNED', path: true },
  ),
  admit: field(
    z
      .array(z.string())
      .refine((ids) => ids.every((id) => DOCUMENT.test(id)), {
        error: 'must be https addresses of documents, separated by commas',
      })
      .default([]),
    'the URLs of documents whose https redirect URIs are accepted too. All others may only use loopback redirect URIs',
    { variable: 'CIMD_ADMIT', otherwise: 'none' },
  ),
  testCa: field(
    path(origin).optional(),
    'for tests on one machine: a PEM file with the certificate authority of the hosts, also those of `jwksUri`, Discovery and back-channel logout. Invalid in production',
    { variable: 'CIMD_TEST_CA', path: true },
  ),
  testResolve: field(
    z
      .record(z.string(), z.string(), { error: HOSTS_EXPECTED })
      .refine((hosts) => Object.entries(hosts).every(isHost), { error: HOSTS_EXPECTED })
      .default({}),
    'for tests on one machine: names of such hosts mapped to addresses, `app.dev=127.0.0.1:8443,other.dev=127.0.0.1:8444`. Invalid in production',
    { variable: 'CIMD_TEST_RESOLVE', read: hostsOf, otherwise: 'none' },
  ),
})

function isHost([name, address]: readonly [string, string]): boolean {
  return /^[\w.-]+$/.test(name) && ADDRESS.test(address)
}

function hostsOf(variable: string): Record<string, string> {
  return Object.fromEntries(listed(variable).map((host) => [host.split('=')[0], host.split('=')[1] ?? '']))
}

const USUAL = KNOWN_CLIENTS.filter(isOnByDefault).map(({ id }) => id)
const IDS = KNOWN_CLIENTS.map(({ id }) => id)
const WORDS = ['on', ...IDS.flatMap((id) => [id, `-${id}`])]
const EXPECTED = `must be off, on, or known clients such as on,cursor,-make in the variable and ['on', 'cursor', '-make'] in a file; they are ${IDS.join(', ')}`

/** Which known clients may come with their own redirect URIs: their ids, in the order of the table. */
const knownClientsField = field(
  z
    .union([z.enum(['off', 'on']), z.array(z.enum(WORDS)).min(1)], { error: EXPECTED })
    .refine(startsWithSome, { error: EXPECTED })
    .default('off')
    .transform(idsOf),
  'which known clients may use their own https and private-use redirect URIs. `on`: Claude, ChatGPT, Cursor and the others of the default set. A name adds a client, `-name` removes one: `on,antigravity,-raycast`. All other clients may only use loopback redirect URIs',
  { variable: 'KNOWN_CLIENTS', read: readWords, otherwise: '`off`', guide: 'clients.md' },
)

type Words = 'off' | 'on' | readonly string[]

/** `-make` alone would remove a client from nothing. */
function startsWithSome(words: Words): boolean {
  return typeof words === 'string' || words.some((word) => !word.startsWith('-'))
}

function idsOf(words: Words): readonly string[] {
  if (words === 'off') return []
  const given = [words].flat()
  const chosen = new Set(given.includes('on') ? [...USUAL, ...given] : given)
  return IDS.filter((id) => chosen.has(id) && !given.includes(`-${id}`))
}

function readWords(text: string): unknown {
  const words = listed(text)
  return words.length === 1 && /^o(n|ff)$/.test(text.trim()) ? words[0] : words
}

const GUIDE = 'how-to/personal-access-tokens.md#in-the-server'
/** Ten years. */
const MAX_DAYS = 3660

const days = (byDefault: number) => whole('a number of days', 1, MAX_DAYS).default(byDefault)

/** Tokens that users create for their own programs. */
const PersonalTokens = z.strictObject({
  enabled: field(
    toggle(false),
    'personal access tokens: users create them at `/account/tokens`, for a program that no browser can sign in. They can have the scopes with `personal`',
    { variable: 'PERSONAL_TOKENS', guide: GUIDE },
  ),
  days: field(days(30), 'how many days a personal access token lives if its user chooses nothing else', {
    variable: 'PERSONAL_TOKEN_DAYS',
    guide: GUIDE,
  }),
  maxDays: field(days(366), 'how many days a personal access token may live', {
    variable: 'PERSONAL_TOKEN_MAX_DAYS',
    guide: GUIDE,
  }),
})
