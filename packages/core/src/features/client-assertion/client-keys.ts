/** The keys of a client: what it registers, and what its document publishes (RFC 7591 2). */
import * as z from 'zod'
import {
  type ClientMetadataMembers,
  METADATA_ERRORS,
  type RegisteredBy,
} from '../../clients/client-metadata.ts'
import { listOf, text } from '../../http/message.ts'
import { publicUrlFault } from '../../http/public-url.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import type { FetchedKeys } from '../../tokens/fetched-keys.ts'
import { isFor, JWS_ALGORITHMS, type JwsAlgorithm, PublicJwk, withBothNames } from '../../tokens/jwk.ts'
import { UsableJwk, usableKeys } from '../../tokens/jws-signature.ts'

export const PRIVATE_KEY_JWT = 'private_key_jwt'
const MAX_KEYS = 10

const Algorithm = z.enum(JWS_ALGORITHMS)

/** The client metadata for keys (RFC 7591 2). The keys of a client that registers itself are unverified, so it may have none. */
export function keyMetadata(
  registeredBy: RegisteredBy,
  { issuer }: Pick<Kernel, 'issuer'>,
  fetched: boolean,
): ClientMetadataMembers {
  if (registeredBy === 'client') return {}
  // The fetch refuses private addresses behind the name too.
  const address = text(2048).superRefine((uri, context) => {
    const port = URL.canParse(uri) ? Number(new URL(uri).port || 443) : 443
    const fault = publicUrlFault(uri, { issuer, ports: [port] })
    if (fault !== undefined) context.addIssue(fault)
  })
  return {
    jwks: z.object({ keys: listOf(UsableJwk, MAX_KEYS).min(1, 'must not be empty') }).optional(),
    jwks_uri: (fetched ? address : z.never('is not supported; register jwks')).optional(),
    token_endpoint_auth_signing_alg: Algorithm.optional(),
  }
}

const Registered = z.object({
  jwks: z.object({ keys: z.array(PublicJwk) }).optional(),
  jwks_uri: z.string().optional(),
  token_endpoint_auth_signing_alg: Algorithm.optional(),
})
type Registered = z.output<typeof Registered>

/** The keys that a client registered; none if its record has another format. */
export function registeredKeys({ featureMetadata = {} }: Client): Registered {
  return Registered.safeParse(featureMetadata).data ?? {}
}

/** The algorithms that a client may use. */
export function algorithmsOf(
  { token_endpoint_auth_signing_alg: registered }: Registered,
  offered: readonly JwsAlgorithm[],
): readonly JwsAlgorithm[] {
  return registered === undefined
    ? offered
    : withBothNames([registered]).filter((alg) => offered.includes(alg))
}

/** @throws OAuthError `invalid_client_metadata` for a client that could never authenticate */
export function checkKeys(client: Client, offered: readonly JwsAlgorithm[]): void {
  if (client.tokenEndpointAuthMethod !== PRIVATE_KEY_JWT) return
  const fault = keysFault(registeredKeys(client), offered)
  if (fault !== undefined) throw new OAuthError(METADATA_ERRORS.client_metadata_invalid, fault)
}

/** Why a client with these keys could never authenticate. */
function keysFault(registered: Registered, offered: readonly JwsAlgorithm[]): string | undefined {
  const { jwks, jwks_uri } = registered
  if ((jwks === undefined) === (jwks_uri === undefined))
    return `${PRIVATE_KEY_JWT} needs jwks or jwks_uri, and not both`
  const algorithms = algorithmsOf(registered, offered)
  const usable = jwks === undefined || jwks.keys.some((key) => algorithms.some((alg) => isFor(alg, key)))
  if (usable && algorithms.length > 0) return undefined
  return `jwks: no key for ${algorithms.join(', ') || 'an algorithm of this server'}`
}

const Published = Registered.extend({
  jwks: z.object({ keys: z.array(z.unknown()).transform(usableKeys) }).optional(),
})

/** The keys in a client ID metadata document; `undefined` if the client cannot authenticate with them at this server. */
export function publishedKeys(
  document: Readonly<Record<string, unknown>>,
  { kernel, algorithms, keysAt }: PublishedTo,
): Registered | undefined {
  const keys = Published.safeParse(document).data
  if (keys === undefined || keysFault(keys, algorithms) !== undefined) return undefined
  if (keys.jwks_uri === undefined) return keys
  return keysAt === undefined || publicUrlFault(keys.jwks_uri, kernel) !== undefined ? undefined : keys
}

interface PublishedTo {
  readonly kernel: Pick<Kernel, 'issuer'>
  readonly algorithms: readonly JwsAlgorithm[]
  /** Absent if no keys are fetched. */
  readonly keysAt?: FetchedKeys | undefined
}
