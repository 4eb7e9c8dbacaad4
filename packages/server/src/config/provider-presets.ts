/**
 * What is known of providers, as settings that can all be written by hand. A setting that an operator writes wins.
 *
 * Sources: the discovery documents and the pages of the providers, 2 September 2026; `docs/server/providers` has them one by one.
 */
export interface ProviderPreset {
  readonly label: string
  /** Absent: each customer has an issuer of its own. */
  readonly issuer?: string
  readonly protocol?: 'github' | 'discord'
  readonly scope?: string
  readonly tokenEndpointAuthMethod?: 'client_secret_post'
  readonly responseMode?: 'form_post'
  readonly pkce?: false
  readonly nonce?: false
  /** The values of `prompt` that it knows. Default: `login`. */
  readonly prompts?: ('login' | 'select_account')[]
  readonly authTimeByClaims?: true
  /** It never says when its user signed in, unless the provider is asked to switch that on. */
  readonly provesNothing?: true
  /** Why no address of it is ever verified, or not by default, and what to do. */
  readonly unverified?: string
}

const PRESETS = {
  google: {
    label: 'Google',
    issuer: 'https://accounts.google.com',
    prompts: ['select_account'],
    authTimeByClaims: true,
    provesNothing: true,
  },
  microsoft: {
    label: 'Microsoft',
    prompts: ['login', 'select_account'],
    unverified: 'Entra sends no email_verified. Add the optional claim xms_edov to the app registration',
  },
  // It posts its answer as soon as a name or an address is asked for.
  apple: {
    label: 'Apple',
    issuer: 'https://appleid.apple.com',
    scope: 'openid email name',
    responseMode: 'form_post',
    prompts: [],
    provesNothing: true,
  },
  github: {
    label: 'GitHub',
    issuer: 'https://github.com/login/oauth',
    protocol: 'github',
    scope: 'read:user user:email',
    prompts: ['select_account'],
    provesNothing: true,
  },
  gitlab: { label: 'GitLab', issuer: 'https://gitlab.com' },
  okta: { label: 'Okta' },
  auth0: { label: 'Auth0' },
  cognito: { label: 'Cognito' },
  keycloak: { label: 'Keycloak' },
  authentik: {
    label: 'authentik',
    unverified: 'authentik says email_verified: false by default since 2025.10. Change its scope mapping',
  },
  zitadel: { label: 'Zitadel', prompts: ['login', 'select_account'] },
  slack: { label: 'Slack', issuer: 'https://slack.com', prompts: [], provesNothing: true },
  discord: {
    label: 'Discord',
    issuer: 'https://discord.com',
    protocol: 'discord',
    scope: 'identify email',
    prompts: [],
    provesNothing: true,
  },
  // Its document does not say that it takes the secret in the body alone. It refuses a code_verifier, and its ID tokens have no nonce.
  linkedin: {
    label: 'LinkedIn',
    issuer: 'https://www.linkedin.com/oauth',
    tokenEndpointAuthMethod: 'client_secret_post',
    pkce: false,
    nonce: false,
    prompts: [],
    provesNothing: true,
  },
} as const satisfies Readonly<Record<string, ProviderPreset>>

export type PresetName = keyof typeof PRESETS

export const PRESET_NAMES = Object.keys(PRESETS) as [PresetName, ...PresetName[]]

export function presetOf(name: PresetName | undefined): Partial<ProviderPreset> {
  return name === undefined ? {} : PRESETS[name]
}
