import * as z from 'zod'
import { listOf, text } from '../http/message.ts'
import { displayText } from '../kernel/display-text.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client, SigningAlgorithm } from '../kernel/records.ts'
import { parseScope } from '../kernel/scope.ts'
import { REDIRECT_URI_ERRORS } from './redirect-uri-policy.ts'

export const METADATA_ERRORS = defineErrors({
  client_metadata_invalid: [
    'invalid_client_metadata',
    'The client metadata is not valid. Compare it with the metadata of the server',
  ],
})

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

/** The members of features that a client registered; `undefined` if it registered none. */
export function featureMetadata(
  metadata: Readonly<Record<string, unknown>>,
  { members = {} }: Registrable,
): Readonly<Record<string, unknown>> | undefined {
  const names = Object.keys(members).filter((name) => metadata[name] !== undefined)
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, metadata[name]]))
}

/** The default grant types (RFC 7591 2). The answer shows them. */
const GRANT_TYPES_BY_DEFAULT = ['authorization_code', 'refresh_token']

/** The grant types that the operator registers: any of them, and at least one. */
export function grantTypesOf({ grantTypes }: Pick<Registrable, 'grantTypes'>) {
  return listOf(text(100), 20)
    .default(GRANT_TYPES_BY_DEFAULT)
    .transform((values) => grantTypes.filter((name) => values.includes(name)))
    .refine(
      (known) => known.some((name) => name !== 'refresh_token'),
      'must name a grant type of this server',
    )
}

/** Members whose schemas depend on the server. */
const MEMBERS_OF_SERVER = [
  'token_endpoint_auth_method',
  'grant_types',
  'id_token_signed_response_alg',
] as const

/** Members that core sets in its answer (RFC 7591 3.2.1), or reads for static clients alone. */
const OTHER_MEMBERS = [
  ...['client_id', 'client_id_issued_at', 'client_secret', 'client_secret_expires_at'],
  ...['registration_access_token', 'registration_client_uri', 'resource_server', 'remember_consent', 'pkce'],
  ...['nonce', 'client_secret_expires_in', 'tokens_per_minute', 'grants_per_hour'],
]

/** @throws Error when a feature reads a member that core reads or sets */
export function requireOwnNames(members: ClientMetadataMembers): void {
  const ofCore = [...Object.keys(MEMBERS), ...MEMBERS_OF_SERVER, ...OTHER_MEMBERS]
  const taken = Object.keys(members).find((name) => ofCore.includes(name))
  if (taken !== undefined) throw new Error(`features: clientMetadata has ${taken}, which core reads or sets`)
}

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

/** Many clients send the members that they do not set as `null` or as an empty string. */
export function withoutEmpty(metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return metadata
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => !isEmpty(value)))
}

function isEmpty(value: unknown): boolean {
  return value === null || value === ''
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
  } satisfies Record<(typeof MEMBERS_OF_SERVER)[number], z.ZodType>
  const own = { ...MEMBERS, ...ofServer }
  // The type is that of `own`: only the feature itself knows what its members are.
  return z.object({ ...own, ...members } as typeof own)
}
export type ClientMetadata = z.infer<ReturnType<typeof clientMetadata>>

/**
 * The scopes a client registers. Others are ignored, because clients often add scopes of other servers.
 *
 * @param allowed those that it may register
 * @returns `undefined` when none of them is allowed
 */
export function registeredScopes(scope: string, allowed: readonly string[]): readonly string[] | undefined {
  const known = parseScope(scope)?.filter((value) => allowed.includes(value))
  return known === undefined || known.length === 0 ? undefined : known
}

/** The parameters of a response (RFC 6749 4.1.2, RFC 9207 2), also as lenient parsers read them: `CODE`, `code[]`. */
const RESPONSE_PARAMETER = /^\s*(code|state|iss|error(_description|_uri)?)\s*(\[|$)/i

/**
 * Refuses a query that a client could mix up with the authorization response: of two parameters with one name, some
 * parsers take the first.
 *
 * @throws OAuthError `invalid_redirect_uri`
 */
export function refuseResponseParameters(uris: readonly string[]): void {
  const index = uris.findIndex((uri) => parameterNames(uri).some((name) => RESPONSE_PARAMETER.test(name)))
  if (index < 0) return
  const fault = `redirect_uris[${index}]: a parameter of its query would be mixed up with the answer, such as code`
  throw new OAuthError(REDIRECT_URI_ERRORS.redirect_uri_refused, fault)
}

/** Decoded. Semicolons separate too, since they do for some parsers. */
function parameterNames(uri: string): string[] {
  const query = uri.replace(/[^?]*\??/, '')
  return [...new URLSearchParams(query.replaceAll(';', '&')).keys()]
}
