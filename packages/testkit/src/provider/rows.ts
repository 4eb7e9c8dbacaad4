/** Its claims by the names of OpenID Connect. */
export interface TestUser {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: unknown
  readonly name?: string
  readonly [claim: string]: unknown
}

/** What a provider sends and refuses. Sources: the documents of the providers, 2 September 2026. */
export interface ProviderRow {
  readonly kind: 'openid' | 'github' | 'discord'
  readonly issuer: string
  /** The preset of the server, which fills in its settings. */
  readonly preset?: string
  /** More settings of the server, without which it does not start. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Whether its issuer ends with a slash. */
  readonly slash?: true
  readonly endpoints: {
    readonly authorization_endpoint: string
    readonly token_endpoint: string
    readonly userinfo_endpoint?: string
  }
  /** More of the discovery document. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** How clients may authenticate, whatever the document says. */
  readonly takes: readonly string[]
  /** Whether the client secret is a JWT of the client. */
  readonly takesSecretJwt?: boolean
  readonly idToken: (user: TestUser) => Readonly<Record<string, unknown>>
  /** What the resources return for a user, by path. UserInfo is one. */
  readonly resources: Readonly<Record<string, (user: TestUser) => unknown>>
  /** Claims of the ID token that a test sets. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** More of the response of the token endpoint. */
  readonly tokenResponse?: Readonly<Record<string, unknown>>
  /** `iss` of the authorization response (RFC 9207). `true`: the issuer. */
  readonly sendsIss?: true | string
  /** More fields of a posted answer. */
  readonly posted?: Readonly<Record<string, string>>
  /** `auth_time`, if there is one. @param wanted whether the request asked. @param now epoch seconds */
  readonly authTime?: (wanted: boolean, now: number) => number | undefined
  /** Bases of other addresses, such as the API of GitHub. */
  readonly otherOrigins?: readonly string[]
  readonly postsOnly?: boolean
  readonly refusesPlus?: boolean
  readonly refusesVerifier?: boolean
  readonly dropsNonce?: boolean
  /** How the ID token is signed, if not as it should be. `other`: by a key that is not published under its `kid`. */
  readonly signature?: 'none' | 'other'
  /** Whether the header of the ID token names no key. */
  readonly dropsKid?: boolean
  /** Whether it publishes a second key, which signs nothing. */
  readonly publishesTwoKeys?: boolean
  readonly denies?: boolean
  readonly isDown?: boolean
}

const POST = 'client_secret_post'
const BASIC = 'client_secret_basic'

const OPENID: ProviderRow = {
  kind: 'openid',
  issuer: 'https://op.example',
  endpoints: {
    authorization_endpoint: '/authorize',
    token_endpoint: '/token',
    userinfo_endpoint: '/userinfo',
  },
  metadata: {
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: [POST, BASIC],
    code_challenge_methods_supported: ['S256'],
  },
  takes: [POST, BASIC],
  idToken: (user) => user,
  resources: { '/userinfo': (user) => user },
  authTime: (wanted, now) => (wanted ? now : undefined),
}

/** An ID token with these claims alone. */
const only =
  (...names: readonly string[]) =>
  (user: TestUser) =>
    Object.fromEntries(Object.entries(user).filter(([name]) => ['sub', ...names].includes(name)))

const hosted = (issuer: string, more: Partial<ProviderRow>): ProviderRow => ({
  ...OPENID,
  issuer,
  ...more,
  metadata: { ...OPENID.metadata, ...more.metadata },
})

const TENANT = '7b9dd3c2-2a4f-4c0e-9a51-3b1f0b5d5c11'
const ENTRA = 'https://login.microsoftonline.com'

/** No `email_verified` anywhere. @param at the part of the issuer that names a tenant, or every tenant */
const entra = (at: string, more: Partial<ProviderRow> = {}): ProviderRow =>
  hosted(`${ENTRA}/${at}/v2.0`, {
    preset: 'microsoft',
    idToken: (user) => ({
      ...only('email', 'name', 'xms_edov')(user),
      iss: `${ENTRA}/${TENANT}/v2.0`,
      tid: TENANT,
    }),
    resources: { '/userinfo': only('email', 'name') },
    authTime: () => undefined,
    ...more,
  })

/** By name: the providers that the double can play. */
export const PROVIDERS = {
  openid: OPENID,
  /** As Hydra by default. */
  basicOnly: hosted('https://hydra.corp.example', {
    metadata: { token_endpoint_auth_methods_supported: [BASIC] },
    takes: [BASIC],
  }),
  /** Without `auth_time`, whatever is asked. */
  google: hosted('https://accounts.google.com', {
    preset: 'google',
    authTime: () => undefined,
  }),
  microsoft: entra(TENANT),
  /** Of every organization: its document has a template in place of an issuer. */
  microsoftOrganizations: entra('organizations', {
    settings: { tenants: [TENANT] },
    metadata: { issuer: `${ENTRA}/{tenantid}/v2.0` },
  }),
  apple: hosted('https://appleid.apple.com', {
    preset: 'apple',
    endpoints: { authorization_endpoint: '/auth/authorize', token_endpoint: '/auth/token' },
    metadata: { token_endpoint_auth_methods_supported: [POST] },
    takes: [POST],
    takesSecretJwt: true,
    postsOnly: true,
    // The name comes beside the code, at the first consent.
    idToken: (user) => ({ ...only('email')(user), email_verified: String(user.email_verified) }),
    resources: {},
    authTime: () => undefined,
  }),
  github: {
    ...OPENID,
    kind: 'github',
    issuer: 'https://github.com/login/oauth',
    preset: 'github',
    endpoints: { authorization_endpoint: '/authorize', token_endpoint: '/access_token' },
    takes: [POST],
    sendsIss: true,
    otherOrigins: ['https://api.github.com'],
    tokenResponse: { scope: 'read:user,user:email', refresh_token: 'unasked' },
    resources: {
      '/user': ({ sub, name }) => ({ id: Number(sub), login: 'octocat', name, email: null }),
      '/user/emails': ({ email, email_verified }) => [
        { email: 'old@other.example', primary: false, verified: true },
        { email, primary: true, verified: email_verified },
      ],
    },
  },
  /** Enterprise Server: its own host, and no PKCE up to 3.20. */
  githubServer: {
    ...OPENID,
    kind: 'github',
    issuer: 'https://github.corp.example',
    preset: 'github',
    endpoints: {
      authorization_endpoint: '/login/oauth/authorize',
      token_endpoint: '/login/oauth/access_token',
    },
    takes: [POST],
    resources: {
      '/api/v3/user': ({ sub, name }) => ({ id: Number(sub), login: 'octocat', name, email: null }),
      '/api/v3/user/emails': ({ email, email_verified }) => [
        { email, primary: true, verified: email_verified },
      ],
    },
  },
  gitlab: hosted('https://gitlab.com', { preset: 'gitlab' }),
  /** The address is in the ID token, and its verification in UserInfo. */
  okta: hosted('https://corp.okta.com', { preset: 'okta', idToken: only('email', 'name') }),
  auth0: hosted('https://corp.auth0.com', { preset: 'auth0', slash: true }),
  cognito: hosted('https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a', {
    preset: 'cognito',
    refusesPlus: true,
    idToken: only('name'),
    resources: {
      '/userinfo': (user) => ({ ...user, email_verified: String(user.email_verified) }),
    },
  }),
  keycloak: hosted('https://sso.corp.example/realms/corp', { preset: 'keycloak', sendsIss: true }),
  authentik: hosted('https://auth.corp.example/application/o/notes', {
    preset: 'authentik',
    idToken: (user) => ({ ...user, email_verified: false }),
  }),
  /** Everything but the subject is in UserInfo. */
  zitadel: hosted('https://corp.zitadel.cloud', { preset: 'zitadel', idToken: only() }),
  slack: hosted('https://slack.com', { preset: 'slack', authTime: () => undefined }),
  discord: {
    ...OPENID,
    kind: 'discord',
    issuer: 'https://discord.com',
    preset: 'discord',
    endpoints: { authorization_endpoint: '/oauth2/authorize', token_endpoint: '/api/oauth2/token' },
    takes: [POST],
    resources: {
      '/api/users/@me': ({ sub, name, email, email_verified }) => ({
        id: sub,
        username: 'alice_',
        global_name: name,
        email,
        verified: email_verified,
      }),
    },
  },
  /** Its document names no method; it takes the secret in the body, and refuses a verifier. */
  linkedin: hosted('https://www.linkedin.com/oauth', {
    preset: 'linkedin',
    metadata: { token_endpoint_auth_methods_supported: undefined },
    takes: [POST],
    refusesVerifier: true,
    dropsNonce: true,
    authTime: () => undefined,
  }),
} as const satisfies Readonly<Record<string, ProviderRow>>
