import { createPrivateKey, type KeyObject } from 'node:crypto'
import { resolve } from 'node:path'
import { isLoopbackUrl } from '@grantkit/core/feature'
import type { JSONWebKeySet } from 'jose'
import * as z from 'zod'
import { choice, field, type Origin, path, secret, text, withMaskedUrls } from './fields.ts'
import { PRESET_NAMES, presetOf } from './provider-presets.ts'
import { type DirectoryUsers, type ExternalSignInOptions, externalSignIn } from './users.ts'

/** Who may sign in, and how. */

const ID_EXPECTED = 'must be 1 to 30 of a-z, 0-9 and -'

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
          .refine(isSafe, 'must be https, except on localhost')
          .optional(),
        'its issuer',
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
          .union([z.boolean(), z.strictObject({ emailDomains: z.array(z.string().toLowerCase()).min(1) })], {
            error: "must be true, false or { emailDomains: ['notes.example'] }",
          })
          .default(false),
        'whether an unknown user gets an account: never, always, or with a verified address of these domains',
      ),
      linkVerifiedEmail: field(
        z.boolean().default(false),
        'whether an identity is linked to the account with the same address, if both sides have verified it',
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
      const complete = {
        ...written,
        label: written.label ?? preset.label ?? '',
        issuer: written.issuer ?? preset.issuer ?? '',
        protocol,
        ...(method === undefined ? {} : { tokenEndpointAuthMethod: method }),
        scope: written.scope ?? preset.scope ?? 'openid email profile',
        responseMode: written.responseMode ?? preset.responseMode ?? 'query',
        pkce: written.pkce ?? preset.pkce ?? true,
        nonce: protocol === 'openid' && (written.nonce ?? preset.nonce ?? true),
      }
      const { label, issuer, clientSecret, clientKey } = complete
      const credential =
        method === 'private_key_jwt'
          ? { clientKey }
          : { clientSecret: method === undefined ? (clientSecret ?? clientKey) : clientSecret }
      for (const [name, value] of Object.entries({ label, issuer, ...credential }))
        if (!value) context.addIssue({ code: 'custom', path: [name], message: 'is missing' })
      return complete
    })

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
export type Provider = z.output<ReturnType<typeof Provider>>

/** Whether nothing but the state binds its answers to a browser: such a sign-in opens no account of an admin. */
export function isUnbound({ pkce, nonce }: Pick<Provider, 'pkce' | 'nonce'>): boolean {
  return !pkce && !nonce
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
  upstream: field(
    Providers(secret(origin).pipe(text())).default([]),
    'providers that users may sign in with: `{ id, preset, clientId, clientSecret }`, or `label` and `issuer` instead of `preset`, and more',
    { otherwise: 'none', guide: 'server/providers.md' },
  ),
  upstreamFile: field(path(origin).optional(), 'a file with more of them', {
    variable: 'UPSTREAM_FILE',
    path: true,
    guide: 'server/providers.md',
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
