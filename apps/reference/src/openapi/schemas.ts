import { z } from 'zod'
import { SCHOOL_SCHEMAS } from '../school/school-schemas.ts'
import { type Json, schemaOf } from './operation.ts'

/** Schemas of the responses. Tests validate every response against them. */
const text = z.string()
const seconds = z.int()

const ANSWERS = {
  Error: z.object({ error: text, error_description: text }),
  ClientInformation: z.looseObject({
    client_id: text,
    client_id_issued_at: seconds,
    client_secret: text.optional(),
    client_secret_expires_at: seconds.optional(),
    client_name: text.optional(),
    application_type: z.enum(['native', 'web']),
    redirect_uris: z.array(text),
    token_endpoint_auth_method: z.enum(['none', 'client_secret_post', 'client_secret_basic']),
    grant_types: z.array(text),
    response_types: z.array(text),
    scope: text.optional(),
    id_token_signed_response_alg: text,
  }),
  Tokens: z.object({
    access_token: text,
    token_type: z.enum(['Bearer']),
    expires_in: seconds,
    scope: text,
    refresh_token: text.optional(),
    id_token: text.optional(),
  }),
  UserInfo: z.looseObject({
    sub: text,
    name: text.optional(),
    email: text.optional(),
    email_verified: z.boolean().optional(),
  }),
  Introspection: z.object({
    active: z.boolean(),
    scope: text.optional(),
    client_id: text.optional(),
    sub: text.optional(),
    aud: z.union([text, z.array(text)]).optional(),
    iss: text.optional(),
    iat: seconds.optional(),
    exp: seconds.optional(),
    token_type: text.optional(),
  }),
  Empty: z.strictObject({}),
  ServerMetadata: z.looseObject({
    issuer: text,
    authorization_endpoint: text,
    token_endpoint: text,
    registration_endpoint: text.optional(),
    jwks_uri: text,
    scopes_supported: z.array(text),
    response_types_supported: z.array(text),
    grant_types_supported: z.array(text),
    code_challenge_methods_supported: z.array(text),
  }),
  ResourceMetadata: z.looseObject({
    resource: text,
    authorization_servers: z.array(text),
    scopes_supported: z.array(text),
    bearer_methods_supported: z.array(text),
  }),
  KeySet: z.object({ keys: z.array(z.looseObject({ kty: text, kid: text, alg: text, use: text })) }),
  Status: z.object({ status: text }),
} as const

type Schemas = { readonly [name: string]: Json }

const SCHEMAS: Schemas = { ...described(ANSWERS), ...SCHOOL_SCHEMAS }

/** The features that add members to responses. */
interface Mounted {
  /** Token exchange (RFC 8693 2.2.1 and 4.1). */
  readonly exchanges: boolean
  /** DPoP (RFC 9449 5 and 6.2). */
  readonly bindsTokens: boolean
}

export function schemasWith({ exchanges, bindsTokens }: Mounted): Schemas {
  const tokens = {
    ...(bindsTokens && { token_type: z.enum(['Bearer', 'DPoP']) }),
    ...(exchanges && { issued_token_type: text.optional() }),
  }
  const introspection = {
    ...(exchanges && { act: z.looseObject({ sub: text }).optional() }),
    ...(bindsTokens && { cnf: z.object({ jkt: text }).optional() }),
  }
  const changed = {
    Tokens: ANSWERS.Tokens.extend(tokens),
    Introspection: ANSWERS.Introspection.extend(introspection),
  }
  return { ...SCHEMAS, ...described(changed) }
}

function described(answers: Readonly<Record<string, z.ZodType>>): Schemas {
  return Object.fromEntries(
    Object.entries(answers).map(([name, schema]) => [name, schemaOf(schema, 'output')]),
  )
}
