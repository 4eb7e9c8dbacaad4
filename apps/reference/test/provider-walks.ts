import type { ProviderRow, TestProviderOptions, TestUser } from '@grantkit/testkit/provider'

/** What users of each provider do, on every framework: `provider-walks.test.ts` walks it, docs/server/providers.md has it as a table. */
export interface ProviderWalk {
  readonly name: string
  /** In its paths. */
  readonly id: string
  readonly plays: NonNullable<TestProviderOptions['plays']>
  /** What differs from that provider. */
  readonly change?: Partial<ProviderRow>
  /** Of its entry, beside those that every client has. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** More claims of its user. */
  readonly claims?: Partial<TestUser>
  /** What `signUp.emailDomains` needs. Absent: nothing else. */
  readonly needs?: string
  /** Whether the provider proves a new sign-in, by `auth_time`. */
  readonly proves: boolean
}

/** Whose users `signUp.emailDomains` lets in. */
export const DOMAIN = 'partner.example'
const VOUCHED = { emailsVerified: { domains: [DOMAIN], evenIfFalse: true } }
const WITH_AUTH_TIME: Partial<ProviderRow> = { authTime: (wanted, now) => (wanted ? now : undefined) }
const OF_GOOGLE = { plays: 'google', claims: { hd: DOMAIN }, needs: '`hd`' } as const
const BY_XMS_EDOV = { claims: { xms_edov: true }, needs: '`xms_edov`' }

export const PROVIDER_WALKS: readonly ProviderWalk[] = [
  { name: 'Google', id: 'google', ...OF_GOOGLE, proves: false },
  {
    name: 'Google, with session age claims',
    id: 'google-age',
    ...OF_GOOGLE,
    change: WITH_AUTH_TIME,
    proves: false,
  },
  { name: 'Microsoft Entra, one tenant', id: 'entra', plays: 'microsoft', ...BY_XMS_EDOV, proves: false },
  {
    name: 'Microsoft Entra, with auth_time',
    id: 'entra-auth-time',
    plays: 'microsoft',
    ...BY_XMS_EDOV,
    change: WITH_AUTH_TIME,
    proves: true,
  },
  {
    name: 'Microsoft Entra, organizations',
    id: 'entra-organizations',
    plays: 'microsoftOrganizations',
    ...BY_XMS_EDOV,
    proves: false,
  },
  { name: 'Apple', id: 'apple', plays: 'apple', proves: false },
  { name: 'GitHub', id: 'github', plays: 'github', proves: false },
  {
    name: 'GitHub Enterprise Server',
    id: 'github-server',
    plays: 'githubServer',
    settings: { pkce: false },
    proves: false,
  },
  { name: 'GitLab', id: 'gitlab', plays: 'gitlab', proves: true },
  { name: 'Okta, own server', id: 'okta', plays: 'okta', proves: true },
  {
    name: 'Okta, org server',
    id: 'okta-org',
    plays: 'okta',
    change: { resources: { '/userinfo': (user) => ({ ...user, email_verified: false }) } },
    settings: VOUCHED,
    needs: '`emailsVerified`, `evenIfFalse`',
    proves: true,
  },
  { name: 'Auth0', id: 'auth0', plays: 'auth0', proves: true },
  { name: 'Amazon Cognito', id: 'cognito', plays: 'cognito', proves: true },
  { name: 'Keycloak', id: 'keycloak', plays: 'keycloak', proves: true },
  {
    name: 'authentik',
    id: 'authentik',
    plays: 'authentik',
    settings: VOUCHED,
    needs: '`emailsVerified`, `evenIfFalse`',
    proves: true,
  },
  { name: 'Zitadel', id: 'zitadel', plays: 'zitadel', proves: true },
  { name: 'Slack', id: 'slack', plays: 'slack', proves: false },
  { name: 'Discord', id: 'discord', plays: 'discord', proves: false },
  { name: 'LinkedIn', id: 'linkedin', plays: 'linkedin', proves: false },
  { name: 'another OpenID provider', id: 'openid', plays: 'openid', proves: true },
  { name: 'one that takes HTTP Basic alone', id: 'basic', plays: 'basicOnly', proves: true },
]
