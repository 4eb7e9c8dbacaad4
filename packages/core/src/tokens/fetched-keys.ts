/**
 * The keys at a `jwks_uri`. An unauthenticated caller can send an assertion in the name of any client, so fetches are limited, also
 * while a host is unreachable.
 */
import * as z from 'zod'
import { type DocumentFetch, fetchedDocument } from '../http/outbound.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { RecentlyUsed } from '../kernel/recently-used.ts'
import { fetchAttempts, siteOf } from '../limits/fetch-attempts.ts'
import type { PublicJwk } from './jwk.ts'
import { usableKeys } from './jws-signature.ts'

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
 * @param ahead the same in the background, while the older keys are used
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
  const kept = new RecentlyUsed<KeptKeys>(MAX_KEPT, { now, endOf: ({ fetchedAt }) => fetchedAt + MAX_STALE })
  const inFlight = new Map<string, Promise<string | undefined>>()

  /** @returns the fault, if there was one */
  async function refresh(uri: string): Promise<string | undefined> {
    try {
      const keys = await requestKeys(fetch, uri)
      attempts.ended(uri, 'document')
      kept.set(uri, { keys, fetchedAt: now() })
      return undefined
    } catch (cause) {
      attempts.ended(uri, 'unreachable')
      const { code } = Object(cause)
      const fault = typeof code === 'string' ? code : 'no key set'
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
    if (found !== undefined) return found.keys
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
  return usableKeys(KeySet.parse(fetched.members).keys)
}
