import { createPrivateKey, type KeyObject } from 'node:crypto'
import { domainToASCII } from 'node:url'
import * as z from 'zod'
import { choice, field, isSafeUrl, text, whole } from './fields.ts'
import { PRESET_NAMES, type ProviderPreset, presetOf } from './provider-presets.ts'

/** The settings of a provider that users may sign in with. */

const ID_EXPECTED = 'must be 1 to 30 of a-z, 0-9 and -'

/** A domain as it is compared: in lower case, in ASCII (IDNA). Empty if it is none. */
export function asciiDomain(domain: string): string {
  // A parser of URLs would cut the text at any other ASCII character.
  return /^[\w.\-\u0080-\u{10ffff}]+$/u.test(domain) ? domainToASCII(domain) : ''
}

/** Of addresses that Apple makes up: they say nothing of who the user is. */
export const RELAY_DOMAINS = ['privaterelay.appleid.com', 'private.icloud.com']

const Domains = z
  .array(
    z
      .string({ error: 'must be a domain' })
      .transform(asciiDomain)
      .refine((domain) => domain !== '', 'must be a domain, as corp.example')
      .refine((domain) => !RELAY_DOMAINS.includes(domain), 'must be no domain of relay addresses'),
  )
  .min(1, 'must not be empty')
const Names = z.array(text()).min(1, 'must not be empty')

/** What a user of a provider must have there: of each given list one. */
const Membership = z
  .strictObject({
    emailDomains: Domains.optional(),
    tenants: Names.optional(),
    organizations: Names.optional(),
    groups: Names.optional(),
  })
  .refine((rule) => Object.keys(rule).length > 0, 'must name something')
export type Membership = z.output<typeof Membership>
const MEMBERSHIP = 'emailDomains, tenants, organizations and groups'

/** What Apple takes for a client secret is made of these, at each use. @param key the file `AuthKey_….p8` */
const AppleSecret = (secretText: z.ZodType<string, unknown>) =>
  z.strictObject({
    apple: z.strictObject({
      teamId: text(),
      keyId: text(),
      key: secretText.refine(
        isKeyOfApple,
        'must be a PKCS#8 key of the curve P-256: the file AuthKey_….p8 of Apple',
      ),
    }),
  })

/** An error names the fault of the form that was meant. */
const ClientSecret = (secretText: z.ZodType<string, unknown>) =>
  z.union([secretText, AppleSecret(secretText)], {
    error(issue) {
      const { input, errors } = issue as z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>
      const [ofText = [], ofApple = []] = errors
      const meant = Object.hasOwn(Object(input), 'apple') ? ofApple : ofText
      return meant.map(({ path, message }) => [path.join('.'), message].join(' ').trim()).join('; ')
    },
  })

/** A provider that users may sign in with instead of a password. @param secretText of its secrets */
export const Provider = (secretText: z.ZodType<string, unknown>) =>
  z
    .strictObject({
      id: field(
        text().regex(/^[a-z0-9-]{1,30}$/, ID_EXPECTED),
        'part of its sign-in paths; the redirect URI is `<baseUrl>/login/with/<id>/callback`',
      ),
      preset: field(
        choice(PRESET_NAMES).optional(),
        'fills in what is known of this provider; each setting that is written wins',
      ),
      label: field(text().max(40).optional(), 'the text of its button after "Continue with"'),
      issuer: field(
        z
          .url({ protocol: /^https?$/, error: 'must be a URL' })
          .refine(isSafeUrl, 'must be https, except on localhost')
          .optional(),
        'its issuer',
      ),
      formerIssuers: field(
        z
          .array(z.url({ error: 'must be a URL' }))
          .min(1, 'must not be empty')
          .optional(),
        'issuers that this provider had before: a user whose link has one of them keeps the account',
      ),
      protocol: field(
        choice(['openid', 'github', 'discord']).optional(),
        'OpenID Connect (the default), or the API of GitHub or Discord',
      ),
      clientId: field(text(), 'the client that is registered there'),
      clientSecret: field(
        ClientSecret(secretText).optional(),
        'its secret; for Apple `{ apple: { teamId, keyId, key } }`',
        { secret: true },
      ),
      clientKey: field(
        secretText.refine(isPrivateJwk, 'must be a private JWK with "alg"').optional(),
        'a private JWK for `private_key_jwt`, instead of a secret',
        { secret: true },
      ),
      tokenEndpointAuthMethod: field(
        choice(['client_secret_post', 'client_secret_basic', 'private_key_jwt']).optional(),
        'how the client authenticates. Default: the first of these that the provider lists',
      ),
      secretExpires: field(
        z.iso.date({ error: 'must be a date such as 2027-01-31' }).optional(),
        'the last day of the secret, such as `2027-01-31`: warnings begin 30 days before',
      ),
      scope: field(
        text().optional(),
        'the scopes that are requested. Default: `openid email profile`, or those of the preset',
      ),
      responseMode: field(
        choice(['query', 'form_post']).optional(),
        'how the answer comes. `form_post`: by POST alone, as Apple sends it. Default: `query`',
      ),
      pkce: field(
        z.boolean().optional(),
        'default: true. `false` for a provider that refuses PKCE: LinkedIn, and GitHub Enterprise Server to 3.20',
      ),
      nonce: field(
        z.boolean().optional(),
        'default: true. `false` for a provider whose ID tokens have no `nonce`: LinkedIn',
      ),
      signUp: field(
        z
          .union([z.boolean(), Membership], {
            error: `must be true, false, or an object with lists of ${MEMBERSHIP}, as { emailDomains: ['corp.example'] }`,
          })
          .default(false),
        `whether an unknown user gets an account: never, always, or with one of each of these: ${MEMBERSHIP}`,
      ),
      require: field(Membership.optional(), 'the same members: what every user must have at every sign-in'),
      tenants: field(
        z.union([Names, z.literal('any')], { error: "must be a list of tenants, or 'any'" }).optional(),
        "the organizations whose users may sign in. Microsoft's `common`, `organizations` and `consumers` need it: a list of GUIDs, or `any`",
      ),
      emailsVerified: field(
        z.strictObject({ domains: Domains, evenIfFalse: z.literal(true).optional() }).optional(),
        'the domains of which an address counts although the provider does not say that it is verified; with `evenIfFalse`, although it says no',
      ),
      roles: field(
        z.strictObject({ claim: text(), map: z.record(z.string(), Names) }).optional(),
        'the roles that its users get: `claim`, and in `map` the roles by the exact value of that claim',
      ),
      rolesFor: field(
        whole('a number of seconds', 1).optional(),
        'for how many seconds after a sign-in these roles count',
        { otherwise: '12 hours' },
      ),
      linkVerifiedEmail: field(
        z.boolean().default(false),
        'whether an identity is linked to the account with the same address, if both sides have verified it',
      ),
      prompts: field(
        z.array(z.enum(['login', 'select_account'])).optional(),
        'the values of `prompt` that it knows. Default: `login`, or those of the preset',
      ),
      authTimeByClaims: field(
        z.boolean().optional(),
        'whether the provider is asked for `auth_time` by the parameter `claims`. Default: if its metadata say that it knows the parameter, or as the preset has it',
      ),
      freshness: field(
        z.enum(['proven', 'returned']).default('proven'),
        'what counts as a new sign-in: `proven`, an `auth_time` after the demand; `returned`, without `auth_time`, also a return from a provider that was asked for a new sign-in',
      ),
      signOut: field(
        choice(['provider']).optional(),
        '`provider`: a user who signs out here is sent to the sign-out of the provider. Register `<baseUrl>/login` there. Default: the user reads that they are still signed in there',
      ),
      trustAcr: field(
        z.boolean().default(false),
        'whether its `acr` counts, if it is `phr`, and its `amr`. Otherwise its sign-ins have the class `pwd`',
      ),
    })
    .transform((written, context) => {
      const preset = presetOf(written.preset)
      const protocol = written.protocol ?? preset.protocol ?? 'openid'
      const method = written.tokenEndpointAuthMethod ?? preset.tokenEndpointAuthMethod
      const authTimeByClaims = written.authTimeByClaims ?? preset.authTimeByClaims
      const complete = {
        ...written,
        ...(authTimeByClaims === undefined ? {} : { authTimeByClaims }),
        label: written.label ?? preset.label ?? '',
        issuer: written.issuer ?? preset.issuer ?? '',
        protocol,
        ...(method === undefined ? {} : { tokenEndpointAuthMethod: method }),
        scope: written.scope ?? scopeOf(preset, [written.signUp, written.require]),
        responseMode: written.responseMode ?? preset.responseMode ?? 'query',
        pkce: written.pkce ?? preset.pkce ?? true,
        prompts: written.prompts ?? preset.prompts ?? ['login'],
        nonce: protocol === 'openid' && (written.nonce ?? preset.nonce ?? true),
      }
      const { label, issuer, clientSecret, clientKey } = complete
      const credential =
        method === 'private_key_jwt'
          ? { clientKey }
          : { clientSecret: method === undefined ? (clientSecret ?? clientKey) : clientSecret }
      for (const [name, value] of Object.entries({ label, issuer, ...credential }))
        if (!value) context.addIssue({ code: 'custom', path: [name], message: 'is missing' })
      if (complete.freshness === 'returned' && !complete.prompts.includes('login'))
        context.addIssue({
          code: 'custom',
          path: ['freshness'],
          message: 'must be proven: a return says nothing of a provider that does not know prompt=login',
        })
      for (const problem of problemsOfTenants(complete)) context.addIssue({ code: 'custom', ...problem })
      return complete
    })

export type Provider = z.output<ReturnType<typeof Provider>>

const MICROSOFT = [
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
]

/** However it is spelled: the client of the provider takes other letters and a port for the same. */
function isMicrosoftForAll(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false
  const { hostname, pathname } = new URL(issuer)
  return MICROSOFT.includes(hostname) && /^\/(common|organizations|consumers)(\/|$)/i.test(pathname)
}
const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

interface Trusting {
  readonly emailsVerified?: object | undefined
  readonly roles?: object | undefined
  readonly require?: Membership | undefined
  readonly signUp?: Membership | boolean | undefined
}

/** Anybody can have a tenant at Microsoft, and in it any address. */
function problemsOfTenants({
  issuer,
  tenants,
  ...trusting
}: Trusting & { readonly issuer: string; readonly tenants?: readonly string[] | 'any' | undefined }) {
  const isForAll = isMicrosoftForAll(issuer)
  if (isForAll && tenants === undefined)
    return [
      {
        path: ['tenants'],
        message: `is missing: ${issuer} signs in the users of every organization. Write tenants: ['<GUID>'], or tenants: 'any'`,
      },
    ]
  const areWrong = isForAll && Array.isArray(tenants) && !tenants.every((tenant) => GUID.test(tenant))
  return [
    ...(!areWrong ? [] : [{ path: ['tenants'], message: 'must be GUIDs' }]),
    ...(tenants === 'any' ? claimable(trusting) : []).map((name) => ({
      path: [name],
      message:
        "must be left out with tenants: 'any': whoever has a tenant there can claim any address and group",
    })),
  ]
}

function scopeOf(
  { scope = 'openid email profile', protocol }: Partial<ProviderPreset>,
  rules: readonly unknown[],
) {
  // GitHub names organizations only then.
  const asks = rules.some((rule) => Object.hasOwn(Object(rule), 'organizations'))
  return protocol === 'github' && asks ? `${scope} read:org` : scope
}

/** What anybody could claim who makes a tenant: an address, a role, and a group of a rule that names no tenants. */
function claimable({ emailsVerified, roles, require, signUp }: Trusting): (keyof Trusting)[] {
  const hasGroups = (rule: Membership | boolean | undefined) =>
    typeof rule === 'object' && rule.groups !== undefined && rule.tenants === undefined
  const trusted = { emailsVerified, roles, require: hasGroups(require), signUp: hasGroups(signUp) }
  return (Object.keys(trusted) as (keyof Trusting)[]).filter((name) => trusted[name])
}

function isKeyOfApple(pem: string): boolean {
  const key = privateKeyOf(pem)
  return key?.asymmetricKeyDetails?.namedCurve === 'prime256v1'
}

function isPrivateJwk(json: string): boolean {
  try {
    const jwk = JSON.parse(json)
    return typeof jwk.alg === 'string' && privateKeyOf({ key: jwk, format: 'jwk' }) !== undefined
  } catch {
    return false
  }
}

function privateKeyOf(key: Parameters<typeof createPrivateKey>[0]): KeyObject | undefined {
  try {
    return createPrivateKey(key)
  } catch {
    return undefined
  }
}

/** Whether nothing but the state binds its answers to a browser: such a sign-in opens no account of an admin. */
export function isUnbound({ pkce, nonce }: Pick<Provider, 'pkce' | 'nonce'>): boolean {
  return !pkce && !nonce
}

export const Providers = (clientSecret: z.ZodType<string, unknown>) =>
  z.array(Provider(clientSecret)).check(({ value, issues }) => {
    const fault = faultTogether(value)
    if (fault !== undefined) issues.push({ code: 'custom', input: value, message: fault })
  })

/** What is wrong with providers only because they stand in one list. */
export function faultTogether(providers: readonly Provider[]): string | undefined {
  if (new Set(providers.map(({ id }) => id)).size < providers.length) return 'has an id twice'
  const isFormer = (issuer: string) => providers.some((other) => other.formerIssuers?.includes(issuer))
  return providers.some(({ issuer }) => isFormer(issuer))
    ? 'has an issuer that is one of formerIssuers too'
    : undefined
}
