import { resolve } from 'node:path'
import type { JSONWebKeySet } from 'jose'
import * as z from 'zod'
import { field, type Origin, path, secret, text, whole, withMaskedUrls } from './fields.ts'
import { Providers } from './providers.ts'
import { type DirectoryUsers, type ExternalSignInOptions, externalSignIn } from './users.ts'

/** Who may sign in, and how. */

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

/** Who must have a passkey, and from which day on. */
const RequirePasskey = z.strictObject({
  who: z.union([z.enum(['admins', 'all']), z.array(text()).min(1)], {
    error: "must be 'admins', 'all' or a list of roles",
  }),
  from: z.iso.date({ error: 'must be a day, as 2027-01-31' }),
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
  requirePasskey: field(
    RequirePasskey.optional(),
    "who must sign in with a passkey, from a day on: `{ who: 'admins', from: '2027-01-31' }`; `who` is `admins`, `all` or a list of roles",
    { otherwise: 'no account', guide: 'server/sign-in.md#required-passkeys' },
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
  exampleProvider: field(
    z.boolean().optional(),
    'whether `grantkit start` offers a provider to try sign-in with, which asks for no password. In development only',
    {
      variable: 'EXAMPLE_PROVIDER',
      otherwise: 'on in development, if `@grantkit/testkit` is installed and `HOST` is a loopback address',
      guide: 'server/providers.md#a-provider-to-try',
    },
  ),
})

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
