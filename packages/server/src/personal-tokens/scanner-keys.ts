import { createPublicKey, type KeyObject } from 'node:crypto'
import { OAuthError } from '@grantkit/core'
import type { DocumentFetch } from '@grantkit/core/client-documents'
import { ERRORS } from '@grantkit/core/errors'
import * as z from 'zod'

/** The public keys of a secret scanner, in the format of GitHub. */
export interface ScannerKeys {
  /**
   * @returns `undefined` if the scanner has no such key, or it is no key of ECDSA on P-256
   * @throws OAuthError `temporarily_unavailable` if the keys cannot be fetched
   */
  find(id: string): Promise<KeyObject | undefined>
}

const KeySet = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })).max(100),
})

const MAX_BYTES = 64 * 1024
const FRESH_MS = 24 * 60 * 60 * 1000
/** Anyone may name a key that is unknown: it causes at most one request in this time. */
const BETWEEN_FETCHES_MS = 5 * 60 * 1000

/**
 * Fetches the keys when the first report arrives, and again once a day or for a key that is new.
 *
 * @param onError gets the reason of a failed fetch
 */
export function scannerKeys(
  url: string,
  fetch: DocumentFetch,
  { now = Date.now, onError }: { readonly now?: () => number; readonly onError: (error: unknown) => void },
): ScannerKeys {
  let keys: ReadonlyMap<string, string> | undefined
  let fetchedAt = Number.NEGATIVE_INFINITY
  let pending: Promise<void> | undefined

  async function refresh(): Promise<void> {
    fetchedAt = now()
    const accept = 'application/json'
    const signal = AbortSignal.timeout(10_000)
    try {
      const { status, body } = await fetch(url, { accept, maxBytes: MAX_BYTES, headers: {}, signal })
      if (status !== 200)
        throw new Error(`The keys of the secret scanner cannot be fetched: status ${status}`)
      const { public_keys } = KeySet.parse(JSON.parse(body))
      keys = new Map(public_keys.map(({ key_identifier, key }) => [key_identifier, key]))
    } catch (error) {
      onError(error)
    }
  }

  return {
    async find(id) {
      const age = now() - fetchedAt
      if (age > FRESH_MS || (age > BETWEEN_FETCHES_MS && !keys?.has(id)))
        pending ??= refresh().finally(() => {
          pending = undefined
        })
      await pending
      if (keys === undefined) throw new OAuthError(ERRORS.store_unavailable, 'The keys cannot be fetched')
      const pem = keys.get(id)
      return pem === undefined ? undefined : p256(pem)
    },
  }
}

function p256(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem)
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined
  }
}
