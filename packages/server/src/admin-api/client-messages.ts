import type { ClientChanges as Changes, PublicClient, StaticClient } from '@grantkit/core'
import { z } from '@hono/zod-openapi'
import { DAY_SECONDS } from '../config/time-units.ts'
import { camelCased, snakeCased } from '../operator/clients.ts'
import { PageQuery, pageOf, text } from './operation.ts'

/** The messages of the admin API about clients, by the names of RFC 7591. */

const names = z.array(text).max(500)
const uris = z.array(text).max(20)
const limit = z.int().min(1).max(1_000_000).optional()

/** What an operator may say of a client (RFC 7591 2, and the members of this server). */
const METADATA = {
  client_name: text.optional().openapi({ description: 'Required, unless known has it' }),
  known: text.optional().openapi({
    description: 'A known client, such as cursor: the client gets its name and its redirect URIs',
  }),
  redirect_uris: uris.default([]).openapi({ description: 'Where its users are redirected to' }),
  application_type: z.enum(['native', 'web']).optional(),
  token_endpoint_auth_method: text.optional().openapi({ description: 'none makes the client public' }),
  grant_types: names.optional(),
  scopes: names.optional().openapi({
    description: 'What it may ask users for. Default: every scope but admin:read and admin:write',
  }),
  client_credentials_scopes: names.optional().openapi({ description: 'The scopes of its own tokens' }),
  id_token_signed_response_alg: z.enum(['RS256', 'ES256', 'EdDSA']).optional(),
  id_token_claims: z.boolean().optional(),
  client_uri: text.optional(),
  logo_uri: text.optional(),
  tos_uri: text.optional(),
  policy_uri: text.optional(),
  contacts: z.array(text).max(10).optional(),
  software_id: text.optional(),
  software_version: text.optional(),
  resource_server: z.boolean().optional().openapi({ description: 'It may introspect every token' }),
  remember_consent: z.boolean().optional(),
  pkce_optional: z.boolean().optional(),
  nonce_optional: z.boolean().optional().openapi({ description: 'Only together with pkce_optional' }),
  tokens_per_minute: limit.openapi({
    description: 'How many tokens it may get in a minute. Default: no limit',
  }),
  grants_per_hour: limit.openapi({
    description: 'How many new grants it may get tokens for in an hour. Default: no limit',
  }),
  post_logout_redirect_uris: uris.optional(),
  backchannel_logout_uri: text.optional().openapi({ description: 'Where logout tokens are sent' }),
  backchannel_logout_session_required: z.boolean().optional(),
  session_bound: z
    .boolean()
    .optional()
    .openapi({ description: 'Its grants without offline_access end with the session' }),
  require_pushed_authorization_requests: z.boolean().optional(),
  dpop_bound_access_tokens: z.boolean().optional(),
  token_exchange_resources: uris.optional(),
  jwks: z
    .object({ keys: z.array(z.record(z.string(), z.unknown())) })
    .optional()
    .openapi({ description: 'Its public keys, for private_key_jwt' }),
  jwks_uri: text.optional(),
  token_endpoint_auth_signing_alg: text.optional(),
} as const

const seconds = z
  .int()
  .min(1)
  .max(3650 * DAY_SECONDS)

export const NewClient = z
  .strictObject({
    ...METADATA,
    client_secret_expires_in: seconds
      .optional()
      .openapi({ description: 'Seconds after which its secret ends. Default: never' }),
  })
  .refine(({ client_name, known }) => client_name !== undefined || known !== undefined, {
    path: ['client_name'],
    error: 'is required, unless known names a known client',
  })
  .openapi('NewClient')

const { known: _, client_name: __, redirect_uris: ___, ...OPTIONAL } = METADATA

/** What an operator may change of a client. `null` removes a member (RFC 7396). */
export const ClientChanges = z
  .strictObject({
    client_name: text.optional(),
    redirect_uris: uris.nullish(),
    ...nullable(OPTIONAL),
  })
  .openapi('ClientChanges')

export const Rotation = z
  .strictObject({
    overlap: z
      .int()
      .min(0)
      .max(30 * DAY_SECONDS)
      .default(DAY_SECONDS)
      .openapi({ description: 'Seconds for which the older secret stays valid; 0 for a secret that leaked' }),
    expires_in: seconds
      .optional()
      .openapi({ description: 'Seconds after which the new secret ends. Default: never' }),
    new_secret_lost: z.boolean().optional().openapi({
      description:
        'The answer with the newest secret was lost: another one takes its place, and the older one stays',
    }),
  })
  .openapi('SecretRotation')

export const RotatedSecret = z
  .object({
    client_id: z.string(),
    client_secret: z.string().openapi({ description: 'Shown this once; only its hash is kept' }),
    client_secret_expires_at: z.int().openapi({ description: 'Epoch seconds; 0: never' }),
    old_secret_ends_at: z
      .int()
      .optional()
      .openapi({ description: 'Epoch seconds. Absent: the older secret has ended' }),
  })
  .openapi('RotatedSecret')

export const Client = z
  .looseObject({
    client_id: z.string(),
    client_id_issued_at: z.int().openapi({ description: 'Epoch seconds' }),
    client_name: z.string().optional(),
    origin: z.enum(['integration', 'registered', 'document']).openapi({
      description: 'An operator added it, it registered itself, or a document describes it (CIMD)',
    }),
    known_client: z
      .string()
      .optional()
      .openapi({ description: 'The known client whose redirect URIs it has' }),
    redirect_uris: z.array(z.string()),
    application_type: z.enum(['native', 'web']),
    token_endpoint_auth_method: z.string(),
    grant_types: z.array(z.string()),
    scopes: z.array(z.string()).optional(),
    client_credentials_scopes: z.array(z.string()).optional(),
    client_secret_expires_at: z
      .int()
      .optional()
      .openapi({ description: 'Epoch seconds. Absent: it has no secret, or one without an end' }),
    old_secret_ends_at: z
      .int()
      .optional()
      .openapi({ description: 'Epoch seconds: when the secret before the newest one ends, or has ended' }),
  })
  .openapi('Client')
export const AddedClient = Client.extend({
  client_secret: z.string().optional().openapi({ description: 'Shown this once; only its hash is kept' }),
}).openapi('AddedClient')

export const ClientPage = pageOf('ClientPage', Client)
export const ClientPath = z.object({
  client_id: text.openapi({ description: 'Percent-encoded: the id of a client with a document is a URL' }),
})
export const ClientQuery = z.strictObject({
  ...PageQuery,
  recently: z.enum(['added', 'registered', 'allowed']).default('added').openapi({
    description:
      'What happened to them: an operator added them, they registered themselves, or a user allowed them',
  }),
})
export const IdempotencyKey = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 ASCII characters without spaces')
    .optional()
    .openapi({ description: 'A repeated request with the same key adds no second client, for a day' }),
})

export const IfMatch = z.object({
  'if-match': z
    .string()
    .max(1000)
    .optional()
    .openapi({ description: 'Required: the ETag of the client as it was read' }),
})

type NullableMembers<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape]: z.ZodNullable<Shape[Name] & z.ZodType>
}

function nullable<Shape extends Record<string, z.ZodType>>(shape: Shape): NullableMembers<Shape> {
  const entries = Object.entries(shape).map(([name, schema]) => [name, schema.nullable()])
  return Object.fromEntries(entries)
}

/** A client by the names of RFC 7591. */
export function clientOf({ createdAt, expiresAt: _, ...client }: PublicClient): z.output<typeof Client> {
  return { ...snakeCased(client), client_id_issued_at: createdAt } as z.output<typeof Client>
}

/** The members of a request, as `clients.update` takes them. */
export function changesOf(changes: z.output<typeof ClientChanges>): Changes {
  return camelCased(changes) as never
}

/** The members of a request, as `clients.add` takes them. */
export function metadataOf(client: z.output<typeof NewClient>): StaticClient {
  return camelCased(client) as never
}
