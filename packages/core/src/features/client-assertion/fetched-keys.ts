/**
 * The keys at a `jwks_uri`, from the cache of this process or from the host. An unauthenticated caller can send an assertion in
 * the name of any client, so fetches are limited, also while a host is unreachable.
 */
import * as z from 'zod'
import {
  type ClientMetadataMembers,
  METADATA_ERRORS,
  type RegisteredBy,
} from '../../clients/client-metadata.ts'
import { type DocumentFetch, fetchedDocument } from '../../http/document-fetch.ts'
import { listOf, text } from '../../http/message.ts'
import { publicUrlFault } from '../../http/public-url.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { fetchAttempts, siteOf } from '../../limits/fetch-attempts.ts'
import {
  isFor,
  JWS_ALGORITHMS,
  type JwsAlgorithm,
  PublicJwk,
  UsableJwk,
  usableKeys,
  withBothNames,
} from '../../tokens/jwk.ts'

export const FETCHED_KEYS_ERRORS = defineErrors({
  client_keys_unreachable: [
    'temporarily_unavailable',
    'The keys at the jwks_uri of the client or issuer cannot be fetched at the moment. Try again later',
  ],
})

/** A `jwks_uri` could not be fetched or has no key set. */
export interface ClientKeysFailed {
  readonly type: 'client_keys_failed'
  readonly jwksUri: string
  /** For the log only: it could reveal networks behind this server. */
  readonly fault: string
  /** What the fetch threw. */
  readonly cause?: unknown
}

/**
 * @param since epoch seconds: keys that were fetched before this time are fetched again
 * @param ahead epoch seconds: keys that were fetched before this time are fetched again too, in the background
 * @throws OAuthError 503 if there are no keys
 */
export type FetchedKeys = (jwksUri: string, since: number, ahead?: number) => Promise<readonly PublicJwk[]>

interface KeptKeys {
  readonly keys: readonly PublicJwk[]
  readonly fetchedAt: number
}

/** In bytes: enough for RSA keys with their certificates. */
const MAX_KEY_SET_BYTES = 64 * 1024
/** Seconds for which cached keys are used while their host is unreachable. */
const MAX_STALE = 60 * 60
const MAX_KEPT = 1000
const DEADLINE_MS = 10_000
/** Per minute. */
const MAX_STARTS = 60

const KeySet = z.object({ keys: z.array(z.unknown()) })

/** @param chosenBy `operator`: unauthenticated callers cannot name an address, so fetches have no budget that all addresses share */
export function fetchedKeys(
  { now, emit }: Kernel,
  fetch: DocumentFetch,
  chosenBy: 'client' | 'operator' = 'client',
): FetchedKeys {
  const hasBudget = chosenBy === 'client'
  const attempts = fetchAttempts(now, hasBudget ? MAX_STARTS : Number.POSITIVE_INFINITY)
  const kept = new Map<string, KeptKeys>()
  const inFlight = new Map<string, Promise<string | undefined>>()

  /** @returns the fault, if there was one */
  async function refresh(uri: string): Promise<string | undefined> {
    try {
      const keys = await requestKeys(fetch, uri)
      attempts.ended(uri, 'document')
      kept.delete(uri)
      kept.set(uri, { keys, fetchedAt: now() })
      const [oldest] = kept.keys()
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
      return undefined
    } catch (cause) {
      attempts.ended(uri, 'unreachable')
      const fault = faultOf(cause)
      emit({ type: 'client_keys_failed', jwksUri: uri, fault, cause } satisfies ClientKeysFailed)
      return fault
    } finally {
      inFlight.delete(uri)
    }
  }

  return async (uri, since, ahead = since) => {
    const attempt = { id: uri, site: hasBudget ? await siteOf(uri) : '', known: true }
    let fault: string | undefined
    const fetchedAt = kept.get(uri)?.fetchedAt ?? 0
    if (fetchedAt < Math.max(since, ahead)) {
      if (!inFlight.has(uri) && attempts.start(attempt) === 0) inFlight.set(uri, refresh(uri))
      if (fetchedAt < since) fault = await inFlight.get(uri)
    }
    const found = kept.get(uri)
    if (found !== undefined && now() < found.fetchedAt + MAX_STALE) return found.keys
    const retryAfter = Math.max(1, attempts.wait(attempt))
    throw new OAuthError(FETCHED_KEYS_ERRORS.client_keys_unreachable, undefined, {
      retryAfter,
      facts: { fault },
    })
  }
}

async function requestKeys(fetch: DocumentFetch, uri: string): Promise<readonly PublicJwk[]> {
  const answer = await fetch(uri, {
    accept: 'application/jwk-set+json, application/json',
    maxBytes: MAX_KEY_SET_BYTES,
    headers: {},
    signal: AbortSignal.timeout(DEADLINE_MS),
  })
  const fetched = fetchedDocument(answer, MAX_KEY_SET_BYTES)
  if (fetched.kind !== 'document') throw Object.assign(new Error(fetched.fault), { code: fetched.fault })
  const { keys } = KeySet.parse(fetched.members)
  return usableKeys(keys)
}

function faultOf(cause: unknown): string {
  const { code } = Object(cause)
  return typeof code === 'string' ? code : 'no key set'
}

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
