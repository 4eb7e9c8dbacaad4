import * as z from 'zod'
import { listOf, text } from '../http/message.ts'
import { displayText } from '../kernel/display-text.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import {
  type CamelCased,
  type Client,
  camelCase,
  camelCased,
  type FeatureMetadata,
  type SigningAlgorithm,
} from '../kernel/records.ts'

export const METADATA_ERRORS = defineErrors({
  client_metadata_invalid: [
    'invalid_client_metadata',
    'The client metadata is not valid. Compare it with the metadata of the server',
  ],
})

export function invalidMetadata(fault: string): OAuthError {
  return new OAuthError(METADATA_ERRORS.client_metadata_invalid, fault)
}

/**
 * The same of a member of a static client. The error has its parts too: a caller may know members by other names than records do.
 *
 * @param fault with what separates it from the name, as `: must be …` @param other a member that ends the text
 */
export function invalidMember(
  member: string,
  fault: string,
  other = '',
  definition: ErrorDefinition = METADATA_ERRORS.client_metadata_invalid,
): OAuthError {
  return new OAuthError(definition, `${member}${fault}${other}`, { parameters: { member, fault, other } })
}

/** Reads members of a static client. @throws OAuthError that names the invalid member */
export function readMembers<Schema extends z.ZodType>(schema: Schema, members: object): z.output<Schema> {
  const parsed = schema.safeParse(members)
  if (parsed.success) return parsed.data
  const [{ path, message } = { path: [], message: '' }] = parsed.error.issues
  const [member = '', ...place] = path.map(String)
  if (Reflect.get(members, member) === undefined) throw invalidMember(member, ' is missing')
  throw invalidMember(member, `${place.map((part) => `.${part}`).join('')}: ${message}`)
}

const MAX_NAME_LENGTH = 200
const MAX_URI_LENGTH = 2048
const MAX_REDIRECT_URIS = 10

/** Cleaned, and shown so in the answer (RFC 7591 3.2.1): no client is refused for how its name is written. */
const name = text(MAX_NAME_LENGTH)
  .overwrite(displayText)
  .refine((value) => /[\p{L}\p{N}\p{ExtPict}]/u.test(value), 'must have a letter, a digit or an emoji')

/** The name in a document: its developer sees no error of this server, so a longer one is cut. */
export const nameOfDocument = z
  .string()
  .overwrite((value) => value.slice(0, MAX_NAME_LENGTH).replace(/[\ud800-\udbff]$/, ''))
  .pipe(name)

/** Links are shown to users and never fetched. Links over plain http are dropped, and are missing in the response. */
const webPage = text(MAX_URI_LENGTH)
  .refine((value) => /^https?:\/\/[^\s\\]+$/.test(value) && URL.canParse(value), 'must be an https URL')
  .transform((value) => (value.startsWith('https:') ? value : undefined))
  .optional()

/**
 * A list that must contain `needed`. Values that this server does not support are dropped, and the answer shows the
 * rest.
 */
function listWith(needed: string, known: readonly string[], byDefault: readonly string[]) {
  return listOf(text(100), 20)
    .optional()
    .refine((values) => values === undefined || values.includes(needed), `must include ${needed}`)
    .transform((values) =>
      values === undefined ? [...byDefault] : known.filter((value) => values.includes(value)),
    )
}

/** The values a client may register: the names of what is mounted. */
export interface Registrable {
  readonly authMethods: readonly string[]
  /** The methods whose clients get a client secret. Default: none. */
  readonly secretMethods?: readonly string[] | undefined
  readonly grantTypes: readonly string[]
  /** Algorithms of the available keys; empty if nothing is signed. */
  readonly signingAlgorithms: readonly SigningAlgorithm[]
  /** For clients that choose none. Default RS256. */
  readonly idTokenAlgorithm?: SigningAlgorithm | undefined
  /** Members that features read, by name. */
  readonly members?: ClientMetadataMembers | undefined
  readonly checkClient?: CheckClient | undefined
}

/** Who registers a client: itself (RFC 7591), or the operator with `clients.add`. */
export type RegisteredBy = 'client' | 'operator'

export type CheckClient = (client: Client) => void

/** Schemas of client metadata, by the name of the member (RFC 7591 2). Each must accept an absent member. */
export type ClientMetadataMembers = Readonly<Record<string, z.ZodType>>

/** The members of features that a client registered, by the names of RFC 7591; `undefined` if it registered none. */
export function featureMetadata(
  metadata: object,
  { members = {} }: Registrable,
): FeatureMetadata | undefined {
  const values = Object.keys(members).map((name) => [name, Reflect.get(metadata, camelCase(name))] as const)
  const registered = values.filter(([, value]) => value !== undefined)
  return registered.length === 0 ? undefined : Object.fromEntries(registered)
}

/** The default grant types (RFC 7591 2). The answer shows them. */
const GRANT_TYPES_BY_DEFAULT = ['authorization_code', 'refresh_token']

/** Members that core sets in its answer (RFC 7591 3.2.1). */
const ANSWERED = [
  ...['client_id', 'client_id_issued_at', 'client_secret', 'client_secret_expires_at'],
  ...['registration_access_token', 'registration_client_uri'],
]

/** @throws Error when a feature reads a member that core reads or sets */
export function requireOwnNames(members: ClientMetadataMembers): void {
  const ofCore = [...MEMBER_NAMES, ...Object.keys(OPERATOR_MEMBERS), ...ANSWERED]
  const taken = Object.keys(members).find((name) => ofCore.includes(name))
  if (taken !== undefined) throw new Error(`features: clientMetadata has ${taken}, which core reads or sets`)
}

// Client metadata are read by the names of RFC 7591. From there on each member has one name, that of the record: the same in
// camelCase.

/** The members that every client may have, in the order of the answer. */
export const MEMBER_NAMES = [
  ...['client_name', 'application_type', 'redirect_uris', 'token_endpoint_auth_method', 'grant_types'],
  ...['response_types', 'scope', 'id_token_signed_response_alg', 'client_uri', 'logo_uri', 'tos_uri'],
  ...['policy_uri', 'contacts', 'software_id', 'software_version'],
]

/** The members that are the same on every server: making schemas is most of what a new server costs. */
const MEMBERS = {
  redirect_uris: listOf(text(MAX_URI_LENGTH), MAX_REDIRECT_URIS).min(1, 'must not be empty'),
  client_name: name.optional(),
  application_type: z.enum(['native', 'web']).optional(),
  response_types: listWith('code', ['code'], ['code']),
  // Clients join `scopes_supported` of a resource, which may be empty.
  scope: text()
    .transform((scope) => (scope === '' ? undefined : scope))
    .optional(),
  client_uri: webPage,
  logo_uri: webPage,
  tos_uri: webPage,
  policy_uri: webPage,
  contacts: listOf(text(MAX_NAME_LENGTH), 10).optional(),
  software_id: text(MAX_NAME_LENGTH).optional(),
  software_version: text(MAX_NAME_LENGTH).optional(),
}

/** The longest life of a client's secret in seconds: 10 years. */
export const MAX_EXPIRES_IN = 3650 * 24 * 60 * 60

const exception = z
  .boolean()
  .optional()
  .transform((value) => value || undefined)
const limit = z.int().min(1).max(1_000_000).optional()

const OPERATOR_MEMBERS = {
  scopes: listOf(text(), 500).optional(),
  resource_server: z.boolean().default(false),
  remember_consent: z.boolean().default(false),
  pkce_optional: exception,
  nonce_optional: exception,
  tokens_per_minute: limit,
  grants_per_hour: limit,
  client_secret_expires_in: z.int().min(1).max(MAX_EXPIRES_IN).optional(),
}

/** A record has them otherwise: scopes as a list of those that exist, and the time when the secret ends. */
const NOT_RECORDED = ['response_types', 'scope', 'scopes', 'client_secret_expires_in']

const recorded = (names: readonly string[]) =>
  names.filter((name) => !NOT_RECORDED.includes(name)).map(camelCase)
const RECORDED = recorded(MEMBER_NAMES)
const RECORDED_OF_INTEGRATIONS = [...RECORDED, ...recorded(Object.keys(OPERATOR_MEMBERS))]

/** The members of client metadata that a record has as they were read. */
export function recordedMembers(metadata: object, origin: Client['origin']): object {
  const members: Record<string, unknown> = {}
  for (const name of origin === 'integration' ? RECORDED_OF_INTEGRATIONS : RECORDED) {
    const value: unknown = Reflect.get(metadata, name)
    if (value !== undefined) members[name] = value
  }
  return members
}

/** Many clients send the members that they do not set as `null` or as an empty string. */
export function withoutEmpty(metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return metadata
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null && value !== ''))
}

/** Client metadata as this server reads it (RFC 7591 2). Unknown members have no effect. */
export function clientMetadata({
  authMethods,
  grantTypes,
  signingAlgorithms,
  idTokenAlgorithm = 'RS256',
  members = {},
}: Registrable) {
  const signs = (alg: SigningAlgorithm) => signingAlgorithms.length === 0 || signingAlgorithms.includes(alg)
  const ofServer = {
    token_endpoint_auth_method: z.enum(authMethods).prefault('none'),
    grant_types: listWith('authorization_code', grantTypes, GRANT_TYPES_BY_DEFAULT),
    id_token_signed_response_alg: z
      .enum(['RS256', 'ES256', 'EdDSA', 'Ed25519'])
      // The newer name of the same algorithm (RFC 9864 2.2).
      .transform((alg) => (alg === 'Ed25519' ? 'EdDSA' : alg))
      .refine(signs, { error: ({ input }) => `no key for ${input} here` })
      .prefault(idTokenAlgorithm),
  }
  const own = { ...MEMBERS, ...ofServer }
  // The type is that of `own`: only the feature itself knows what its members are.
  return z.object({ ...own, ...members } as typeof own)
}

/** Valid client metadata, by the names of a record. */
export type ClientMembers = CamelCased<z.output<ReturnType<typeof clientMetadata>>>

/** The metadata of a static client, which only the operator registers. They have the names of the record. */
export function staticMetadata(registrable: Registrable) {
  const { authMethods, grantTypes } = registrable
  const { client_name, ...registered } = clientMetadata(registrable).shape
  return camelCased({
    ...registered,
    ...OPERATOR_MEMBERS,
    redirect_uris: z.array(z.string()).max(20),
    scope: z.never('use scopes, which is a list').optional(),
    client_name: client_name.unwrap(),
    token_endpoint_auth_method: z
      .enum(authMethods)
      .default(authMethods.find((name) => name !== 'none') ?? 'none'),
    // Any of them, and at least one.
    grant_types: listOf(text(100), 20)
      .default(GRANT_TYPES_BY_DEFAULT)
      .transform((values) => grantTypes.filter((name) => values.includes(name)))
      .refine(
        (known) => known.some((name) => name !== 'refresh_token'),
        'must name a grant type of this server',
      ),
  })
}
export type StaticMetadata = z.output<z.ZodObject<ReturnType<typeof staticMetadata>>>
