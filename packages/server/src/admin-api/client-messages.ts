import { z } from '@hono/zod-openapi'
import {
  CLIENT_MEMBERS,
  type Given,
  INITIAL_TOKEN_MEMBERS,
  type Member,
  type MemberTable,
  ROTATION_MEMBERS,
  wordsOf,
} from '../operator/client-members.ts'
import { PageQuery, pageOf, text } from './operation.ts'

/** The messages of the admin API about clients, by the names of RFC 7591. */

const MAX_SCOPES = 500

function schemaOf({ type }: Member) {
  switch (type.is) {
    case 'text':
      return type.max === undefined ? text : z.string().min(1).max(type.max)
    case 'uri':
      return text
    case 'list':
    case 'uris':
      return z.array(text).max(type.max)
    case 'scopes':
      return type.min === undefined
        ? z.array(text).max(MAX_SCOPES)
        : z.array(text).min(type.min).max(MAX_SCOPES)
    case 'choice':
      return z.enum(type.choices)
    case 'boolean':
      return z.boolean()
    case 'keys':
      return z.object({ keys: z.array(z.record(z.string(), z.unknown())) })
    default:
      return z.int().min(type.min).max(type.max)
  }
}

/** What an operator gives of a new record. */
function newRecord(name: string, table: MemberTable) {
  return objectOf(name, table, (schema, { isRequired, type }) => {
    if (isRequired) return schema
    const byDefault = 'byDefault' in type ? type.byDefault : undefined
    return byDefault === undefined ? schema.optional() : schema.default(byDefault)
  })
}

/** What an operator changes. `null` removes a member (RFC 7396). */
function changedRecord(name: string, table: MemberTable) {
  const changeable = Object.entries(table).filter(([, { isFixed }]) => !isFixed)
  return objectOf(name, Object.fromEntries(changeable), (schema) => schema.nullish())
}

function objectOf(
  name: string,
  table: MemberTable,
  read: (schema: z.ZodType, member: Member) => z.ZodType,
): z.ZodType<Given> {
  const shape = Object.entries(table).map(([member, column]) => {
    const description = descriptionOf(column)
    const schema = read(schemaOf(column), column)
    return [member, description === undefined ? schema : schema.openapi({ description })]
  })
  return z.strictObject(Object.fromEntries(shape)).openapi(name)
}

function descriptionOf(member: Member): string | undefined {
  const words = wordsOf(member)
  if (words === undefined) return undefined
  const unit = member.type.is === 'seconds' ? ', in seconds' : ''
  const without = member.otherwise === undefined ? '' : `; default: ${member.otherwise}`
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${unit}${without}`
}

export const NewClient = newRecord('NewClient', CLIENT_MEMBERS)
export const ClientChanges = changedRecord('ClientChanges', CLIENT_MEMBERS)
export const Rotation = newRecord('SecretRotation', ROTATION_MEMBERS)
export const NewInitialToken = newRecord('NewInitialAccessToken', INITIAL_TOKEN_MEMBERS)

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

export const InitialToken = z
  .object({
    id: z.string(),
    token: z.string().openapi({ description: 'Shown this once; only its hash is kept' }),
    expires_at: z.iso.datetime(),
  })
  .openapi('InitialAccessToken')

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
