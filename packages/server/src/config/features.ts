import * as z from 'zod'
import { clientDocumentFields } from './client-documents.ts'
import { choice, field, seconds, text, toggle } from './fields.ts'
import { JwtBearer } from './jwt-bearer.ts'
import { knownClientsField } from './known-clients.ts'
import { PersonalTokens } from './personal-tokens.ts'
import type { Origin } from './references.ts'

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
      'ID tokens have the name and e-mail address of the user too, for every client with these scopes; `off`: only for static clients with `--id-token-claims`',
      { variable: 'ID_TOKEN_CLAIMS', guide: 'how-to/static-clients.md' },
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
    pastedCallbacks: field(
      toggle(false),
      'the consent page of an app with a loopback redirect URI offers "My app runs on another machine", and then shows the URL to paste there',
      { variable: 'PASTED_CALLBACKS', guide: 'how-to/device-authorization.md#loopback-from-another-machine' },
    ),
    dpop: Dpop.prefault({}),
    forwardAuth: ForwardAuth.prefault({}),
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
