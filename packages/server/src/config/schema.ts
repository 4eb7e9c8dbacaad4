import { resolve } from 'node:path'
import type { ScopeDefinition } from '@grantkit/core'
import { isProtectedClaim } from '@grantkit/core/internal'
import type { LanguageName } from '@grantkit/pages'
import * as z from 'zod'
import { addressFields } from './address.ts'
import { Features } from './features.ts'
import { choice, field, isSafeUrl, type Origin, seconds, text, whole } from './fields.ts'
import { operationsFields, storageFields } from './operations.ts'
import { peopleFields } from './people.ts'
import { DAY_SECONDS } from './time-units.ts'

/** Everything that can be configured. @param origin where secrets and files are found */
export const configSchema = (origin: Origin) =>
  z.strictObject({
    $schema: field(z.string().optional(), 'the JSON Schema of this file, for editors'),
    ...addressFields,
    ...serviceFields(origin),
    ...storageFields(origin),
    ...peopleFields(origin),
    features: Features(origin).prefault({}),
    lifetimes: Lifetimes.prefault({}),
    ...operationsFields(origin),
  })

export type ConfigSchema = ReturnType<typeof configSchema>
/** A configuration as it is written: `grantkit.config.ts`. */
export type ServerConfig = z.input<ConfigSchema>
export type ParsedConfig = z.output<ConfigSchema>

/** How long codes, tokens and grants live, in seconds. */
const Lifetimes = z.strictObject({
  code: field(seconds(60), 'seconds', { variable: 'CODE_LIFETIME' }),
  accessToken: field(seconds(3600), 'seconds', { variable: 'ACCESS_TOKEN_LIFETIME' }),
  refreshToken: field(seconds(30 * DAY_SECONDS), 'seconds without use', {
    variable: 'REFRESH_TOKEN_LIFETIME',
    otherwise: '30 days',
  }),
  grant: field(seconds(180 * DAY_SECONDS), 'seconds, with or without refreshes', {
    variable: 'GRANT_LIFETIME',
    otherwise: '180 days',
  }),
  unusedClient: field(
    seconds(DAY_SECONDS),
    'seconds after which a client that registered itself is deleted, if no user approved it',
    { variable: 'UNUSED_CLIENT_LIFETIME', otherwise: '1 day' },
  ),
  refreshRetryWindow: field(
    seconds(60, 0, 900),
    'seconds in which a repeated refresh gets the same tokens again; 0 is strict, maximum 900',
    { variable: 'REFRESH_RETRY_WINDOW' },
  ),
  refreshLateRetry: field(
    seconds(900, 0, 900),
    'seconds in which it still gets them if the new refresh token is unused; 0 ends that with the window, maximum 900',
    { variable: 'REFRESH_LATE_RETRY' },
  ),
})

/** The scopes of OpenID Connect (Core 5.4). */
export const STANDARD_SCOPES = {
  openid: {
    description: {
      en: 'Confirm who you are',
      de: 'Bestätigen, wer Sie sind',
      fr: 'Confirmer votre identité',
      es: 'Confirmar su identidad',
      'pt-BR': 'Confirmar quem você é',
      ja: 'ご本人であることの確認',
    },
  },
  profile: {
    description: {
      en: 'See your name and profile',
      de: 'Ihren Namen und Ihr Profil ansehen',
      fr: 'Voir votre nom et votre profil',
      es: 'Ver su nombre y su perfil',
      'pt-BR': 'Ver seu nome e seu perfil',
      ja: '名前とプロフィールの表示',
    },
  },
  email: {
    description: {
      en: 'See your e-mail address',
      de: 'Ihre E-Mail-Adresse ansehen',
      fr: 'Voir votre adresse e-mail',
      es: 'Ver su correo electrónico',
      'pt-BR': 'Ver seu e-mail',
      ja: 'メールアドレスの表示',
    },
  },
} as const satisfies Readonly<Record<string, { description: Record<LanguageName, string> }>>

// What users and clients see of the service: its name, its scopes, its resources.

const WORDS_EXPECTED = "must be a text, or texts by language: { en: 'Read notes', de: 'Notizen lesen' }"
const Words = z.union([z.string(), z.record(z.string(), z.string())], { error: WORDS_EXPECTED })

const Scope = z.strictObject({
  description: field(Words.optional(), 'the text of the consent page: what the app will be able to do', {
    otherwise: 'of `openid`, `profile` and `email`: theirs, in the languages of the pages',
  }),
  area: field(Words.optional(), 'groups scopes on the consent page'),
  access: field(
    choice(['read', 'write']).exactOptional(),
    '`read` if an app can change nothing with it, or `write`: shown to the user',
  ),
  baseline: field(z.boolean().optional(), 'listed in the metadata of resources: clients request it'),
  claims: field(z.array(z.string()).optional(), 'the claims of the user that it opens'),
  user: field(
    z.boolean().optional(),
    'means something only together with a user: never in client-credentials tokens',
  ),
  personal: field(
    z.boolean().optional(),
    'users may give it to their personal access tokens; with `features.personalTokens`',
  ),
})

interface GivenScope extends Omit<ScopeDefinition, 'description'> {
  readonly description?: ScopeDefinition['description'] | undefined
}

const STANDARD: Readonly<Record<string, ScopeDefinition>> = STANDARD_SCOPES

function withStandardTexts(
  given: Record<string, GivenScope>,
  context: z.core.$RefinementCtx,
): Record<string, ScopeDefinition> {
  const scopes = Object.entries(given).map(([name, scope]) => {
    const { description = STANDARD[name]?.description } = scope
    if (description === undefined)
      context.addIssue({ code: 'custom', path: [name, 'description'], message: WORDS_EXPECTED })
    return [name, { ...scope, description: description ?? '' }] as const
  })
  return Object.fromEntries(scopes)
}

const Brand = (origin: Origin) =>
  z.strictObject({
    name: field(text().default('Grantkit'), 'the name of your service, on every page'),
    logo: field(
      z
        .union([z.string().transform((logo) => logoIn(origin, logo)), z.instanceof(URL)], {
          error: 'must be a file, markup or a URL',
        })
        .optional(),
      'an SVG, PNG, WebP or JPEG file, `<svg …>` markup, or a `data:` URI; at most 64 KiB',
    ),
    accent: field(
      text().optional(),
      'the color of links and of the main button, as CSS writes it, with a contrast of 4.5:1 on the light pages',
      { otherwise: 'teal' },
    ),
    style: field(text().optional(), 'CSS of your own, after that of the pages'),
    footer: field(
      z.array(z.strictObject({ text: text(), href: text() })).optional(),
      'links below every page, such as imprint and privacy: `{ text, href }`',
    ),
  })

/** Of an API or MCP server that accepts the tokens. */
const Resource = z.strictObject({
  accessTokens: field(choice(['opaque', 'jwt']).optional(), 'the format of its access tokens', {
    otherwise: 'as `features.jwtAccessTokens`',
  }),
  lifetime: field(
    whole('a number of seconds', 1, 600).optional(),
    'lifetime of its JWT access tokens in seconds, maximum 600',
    { otherwise: 'as `features.jwtAccessTokens`' },
  ),
  name: field(text().optional(), 'its name in its metadata'),
  scopes: field(z.array(text()).optional(), 'the scopes that it uses, for its metadata', {
    otherwise: 'those with `baseline`',
  }),
  dpop: field(choice(['required']).optional(), '`required`: it accepts bound tokens only'),
  claims: field(
    z
      .array(text().refine((name) => !isProtectedClaim(name), 'must be no claim that the server itself sets'))
      .optional(),
    'claims of the user, such as `roles`, for it alone: its JWT access tokens have them, and the introspection of its other tokens shows them',
    { otherwise: 'none', guide: 'how-to/claims.md#in-the-configuration-of-a-server' },
  ),
})

const RESOURCE_EXPECTED =
  'must be https URLs without a fragment, http URLs of this machine, or paths below baseUrl'

const serviceFields = (origin: Origin) => ({
  brand: Brand(origin).prefault({}),
  documentation: field(
    text().optional(),
    'where developers read about the service: a URL, or a path below `baseUrl`',
  ),
  scopes: field(
    z
      .record(z.string(), Scope as z.ZodType<GivenScope, GivenScope>)
      .transform(withStandardTexts)
      .prefault({ openid: {}, profile: {}, email: {} }),
    'the scopes that apps may request, each with its text for the consent page',
    { otherwise: '`openid`, `profile`, `email`' },
  ),
  defaultScope: field(text().optional(), 'the scope of an authorization request that names none', {
    variable: 'DEFAULT_SCOPE',
    otherwise: 'such a request is an error',
  }),
  resources: field(
    z
      .record(z.string(), Resource)
      .superRefine((resources, context) => {
        for (const wrong of Object.keys(resources).filter((name) => !isResource(name)))
          context.addIssue({ code: 'custom', message: RESOURCE_EXPECTED, params: { wrong } })
      })
      .default({}),
    'your APIs and MCP servers that accept the tokens, next to the server itself: by URL, or by path below `baseUrl`. In the variable, separated by commas',
    { variable: 'RESOURCES', read: resourcesOf, otherwise: 'none' },
  ),
})

function isResource(resource: string): boolean {
  if (/^\/[^/?#\s]/.test(resource)) return true
  return /^https?:\/\/[^#\s]+$/.test(resource) && isSafeUrl(resource)
}

function resourcesOf(variable: string): Record<string, object> {
  return Object.fromEntries(variable.split(',').map((resource) => [resource.trim(), {}]))
}

function logoIn({ folder }: Origin, logo: string): string {
  return /^(<|\w+:)/.test(logo) ? logo : resolve(folder, logo)
}

/** The JSON Schema of a configuration file, for editors. */
export function configJsonSchema(): object {
  const schema = configSchema({ environment: {}, folder: '.' })
  const { $schema, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return { $schema, title: 'Configuration of @grantkit/server', ...described }
}
