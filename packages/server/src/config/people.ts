import { resolve } from 'node:path'
import { domainToASCII } from 'node:url'
import { isLoopbackUrl } from '@grantkit/core/feature'
import type { JSONWebKeySet } from 'jose'
import * as z from 'zod'
import { field, type Origin, path, secret, text, whole, withMaskedUrls } from './fields.ts'
import { type DirectoryUsers, type ExternalSignInOptions, externalSignIn } from './users.ts'

/** Who may sign in, and how. */

const ID_EXPECTED = 'must be 1 to 30 of a-z, 0-9 and -'

/** A domain as it is compared: in lower case, in ASCII (IDNA). Empty if it is none. */
export function asciiDomain(domain: string): string {
  // A parser of URLs would cut the text at any other ASCII character.
  return /^[\w.\-\u0080-\u{10ffff}]+$/u.test(domain) ? domainToASCII(domain) : ''
}

const Domains = z
  .array(
    z
      .string({ error: 'must be a domain' })
      .transform(asciiDomain)
      .refine((domain) => domain !== '', 'must be a domain, as corp.example'),
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

/** An OpenID provider that users may sign in with instead of a password. */
export const Provider = (clientSecret: z.ZodType<string, unknown>) =>
  z
    .strictObject({
      id: field(
        text().regex(/^[a-z0-9-]{1,30}$/, ID_EXPECTED),
        'part of its sign-in paths; the redirect URI is `<baseUrl>/login/with/<id>/callback`',
      ),
      label: field(text().max(40), 'the text of its button after "Continue with"'),
      issuer: field(
        z
          .url({ protocol: /^https?$/, error: 'must be a URL' })
          .refine(isSafe, 'must be https, except on localhost'),
        'its issuer',
      ),
      clientId: field(text(), 'the client that is registered there'),
      clientSecret: field(clientSecret, 'its secret', { secret: true }),
      scope: field(text().default('openid email profile'), 'the scopes that are requested'),
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
        z.array(z.enum(['login', 'select_account'])).default(['login']),
        'the values of `prompt` that it knows',
      ),
      authTimeByClaims: field(
        z.boolean().optional(),
        'whether it is asked by the parameter `claims` when its user signed in. Default: if its metadata say that it knows the parameter',
      ),
      freshness: field(
        z.enum(['proven', 'returned']).default('proven'),
        'what counts as a new sign-in: `proven`, an `auth_time` after the demand; `returned`, without `auth_time`, also a return from a provider that was asked for a new sign-in',
      ),
      trustAcr: field(
        z.boolean().default(false),
        'whether its `acr` counts, if it is `phr`, and its `amr`. Otherwise its sign-ins have the class `pwd`',
      ),
    })
    .superRefine((provider, context) => {
      for (const problem of problemsOfTenants(provider)) context.addIssue({ code: 'custom', ...problem })
    })
export type Provider = z.output<ReturnType<typeof Provider>>

const MICROSOFT_FOR_ALL =
  /^https:\/\/login\.(microsoftonline\.(com|us)|partner\.microsoftonline\.cn)\/(common|organizations|consumers)\//
const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Anybody can have a tenant at Microsoft, and in it any address. */
function problemsOfTenants({
  issuer,
  tenants,
  ...trusting
}: {
  readonly issuer: string
  readonly tenants?: readonly string[] | 'any' | undefined
  readonly emailsVerified?: object | undefined
  readonly roles?: object | undefined
}) {
  const isForAll = MICROSOFT_FOR_ALL.test(issuer)
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
    ...(['emailsVerified', 'roles'] as const)
      .filter((name) => tenants === 'any' && trusting[name] !== undefined)
      .map((name) => ({
        path: [name],
        message:
          "must be left out with tenants: 'any': whoever has a tenant there can claim any address and group",
      })),
  ]
}

export const Providers = (clientSecret: z.ZodType<string, unknown>) =>
  z
    .array(Provider(clientSecret))
    .refine(
      (providers) => new Set(providers.map(({ id }) => id)).size === providers.length,
      'has an id twice',
    )

/** What `directory(…)` returns: code, which has checked its options. */
const Directory = z.strictObject({
  kind: z.literal('directory'),
  directory: z.custom<DirectoryUsers['directory']>((options) => typeof options === 'object'),
})

/** A program gives the text of a variable, and a file names the variable. */
function sharedKey(origin: Origin) {
  const key: z.ZodType = secret(origin, 'EXTERNAL_SIGN_IN_KEY')
  return key as z.ZodType<string, string | z.input<ReturnType<typeof secret>>>
}

/** The options of `externalSignIn(…)`, which checks them. */
const External = (origin: Origin) =>
  z.strictObject({
    kind: z.literal('external'),
    url: text(),
    key: sharedKey(origin).optional(),
    keys: z
      .union([z.string(), z.custom<JSONWebKeySet>((keys) => typeof keys === 'object')], {
        error: 'must be the URL of a JWK Set, or the set',
      })
      .optional(),
    check: z
      .custom<(sub: string) => Promise<boolean>>((check) => typeof check === 'function', 'must be a function')
      .optional(),
    checkSeconds: z.number().optional(),
  })

export const peopleFields = (origin: Origin) => ({
  users: field(
    z
      .discriminatedUnion('kind', [External(origin), Directory], {
        error: "must be externalSignIn(…), directory(…) or { kind: 'external', url, key }",
      })
      .transform((users, context) => (users.kind === 'directory' ? users : checked(origin, users, context)))
      .optional(),
    "whose users sign in: `externalSignIn(…)`, in JSON `{ kind: 'external', url, key }`, or `directory(…)`. The variable has the `url`; a `key` that is not given here is that of `EXTERNAL_SIGN_IN_KEY`, or in the file that `EXTERNAL_SIGN_IN_KEY_FILE` names",
    {
      variable: 'EXTERNAL_SIGN_IN_URL',
      read: (url) => ({ kind: 'external', url }),
      otherwise: 'the accounts of the server',
      guide: 'how-to/external-sign-in.md',
    },
  ),
  accountsFile: field(
    path(origin).optional(),
    'accounts to import at the start. An account may have every claim of the scope `profile`',
    {
      variable: 'ACCOUNTS_FILE',
      path: true,
      otherwise: 'none; in development a service may bring demo accounts',
      guide: 'server/users.md#accounts',
    },
  ),
  passwordMinLength: field(
    whole('a number of characters', 8, 64).default(8),
    'how many characters a new password has at least, 8 to 64; `grantkit init` writes 15, as NIST SP 800-63B-4 requires where a password is the only factor',
    { variable: 'PASSWORD_MIN_LENGTH', guide: 'server/users.md#passwords' },
  ),
  passwordPepper: field(
    secret(origin, 'PASSWORD_PEPPER').pipe(text()).optional(),
    'the pepper of the passwords that were imported from Devise; until their users have signed in once',
    { variable: 'PASSWORD_PEPPER', secret: true, guide: 'server/users.md#import-users' },
  ),
  upstream: field(
    Providers(secret(origin).pipe(text())).default([]),
    'OpenID providers that users may sign in with: `{ id, label, issuer, clientId, clientSecret }`, and `scope`, `signUp`, `require`, `tenants`, `emailsVerified`, `roles`, `rolesFor`, `linkVerifiedEmail`, `prompts`, `authTimeByClaims`, `freshness`, `trustAcr`',
    { otherwise: 'none', guide: 'server/sign-in.md' },
  ),
  upstreamFile: field(path(origin).optional(), 'a file with more of them', {
    variable: 'UPSTREAM_FILE',
    path: true,
    guide: 'server/sign-in.md',
  }),
})

function isSafe(issuer: string): boolean {
  return issuer.startsWith('https:') || isLoopbackUrl(issuer)
}

function checked(origin: Origin, options: ExternalSignInOptions, context: z.RefinementCtx) {
  const { key = options.keys === undefined ? keyOfVariable(origin, context) : undefined } = options
  if (context.issues.length > 0) return z.NEVER
  try {
    return externalSignIn({ ...options, key })
  } catch (error) {
    context.addIssue(withMaskedUrls((error as Error).message.replace(/^users: /, 'is wrong: ')))
    return z.NEVER
  }
}

function keyOfVariable(origin: Origin, context: z.RefinementCtx): string | undefined {
  const { EXTERNAL_SIGN_IN_KEY: key, EXTERNAL_SIGN_IN_KEY_FILE: file } = origin.environment
  if (key !== undefined || file === undefined) return key
  const { data, error } = secret(origin).safeParse({ file: resolve(file) })
  for (const { message } of error?.issues ?? []) context.addIssue(`has a key that ${message}`)
  return data
}
