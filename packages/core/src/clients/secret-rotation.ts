import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { newSecret, sha256 } from '../kernel/secrets.ts'
import { CLIENT_CHANGE_ERRORS, replaceClient, storedClient } from './client-changes.ts'
import { METADATA_ERRORS } from './client-metadata.ts'
import { withoutUndefined } from './client-record.ts'

/** Lifetimes in whole seconds. */
export interface SecretRotationOptions {
  /** For how long the older secret stays valid: 0 to 30 days. Default 1 day; 0 for a secret that leaked. */
  readonly overlap?: number | undefined
  /** For how long the new secret is valid, at most 10 years. Default: without end. */
  readonly expiresIn?: number | undefined
  /** The secret of the last rotation was lost before it was in use: the new one takes its place, and the older one stays. */
  readonly newSecretLost?: boolean | undefined
}

/** The new secret. Only this result has it. */
export interface RotatedSecret {
  readonly clientId: string
  readonly clientSecret: string
  /** Epoch seconds; 0 means never (RFC 7591 3.2.1). */
  readonly clientSecretExpiresAt: number
  /** When the older secret ends. Absent: it has ended. */
  readonly oldSecretEndsAt?: number | undefined
}

export type ClientSecretChange =
  /** The operator gave a client a new secret. */
  | {
      readonly type: 'client_secret_rotated'
      readonly clientId: string
      /** When the older secret ends, in epoch seconds. Absent: it has ended. */
      readonly oldSecretEndsAt?: number | undefined
    }
  /** The operator ended the older secret of a client. */
  | { readonly type: 'client_old_secret_dropped'; readonly clientId: string }

const DAY = 24 * 60 * 60
const MAX_OVERLAP = 30 * DAY
/** 10 years. */
export const MAX_EXPIRES_IN = 3650 * DAY

/** Gives a client a new secret. Its grants and tokens stay. @throws OAuthError */
export async function rotateSecret(
  kernel: Kernel,
  clientId: string,
  { overlap = DAY, expiresIn, newSecretLost }: SecretRotationOptions,
): Promise<RotatedSecret> {
  checkSeconds('overlap', overlap, { min: 0, max: MAX_OVERLAP })
  checkSeconds('expiresIn', expiresIn ?? 1, { min: 1, max: MAX_EXPIRES_IN })
  const seen = await storedClient(kernel, clientId)
  const now = kernel.now()
  const older = olderSecret(seen.value, { overlap, newSecretLost }, now)
  const clientSecret = newSecret(kernel.random)
  const clientSecretExpiresAt = expiresIn && now + expiresIn
  const newest = { secretHash: sha256(clientSecret), clientSecretExpiresAt }
  await replaceClient(kernel, seen, withoutUndefined({ ...withoutSecrets(seen.value), ...newest, ...older }))
  const { oldSecretEndsAt } = older
  const ids = withoutUndefined({ clientId, oldSecretEndsAt })
  kernel.emit({ type: 'client_secret_rotated', ...ids } satisfies ClientSecretChange)
  return { ...ids, clientSecret, clientSecretExpiresAt: clientSecretExpiresAt ?? 0 }
}

/** Ends the older secret at once. @returns whether it was live @throws OAuthError */
export async function dropOldSecret(kernel: Kernel, clientId: string): Promise<boolean> {
  const seen = await storedClient(kernel, clientId)
  const { oldSecretHash: _, oldSecretEndsAt = 0, ...next } = seen.value
  if (kernel.now() >= oldSecretEndsAt) return false
  await replaceClient(kernel, seen, next)
  kernel.emit({ type: 'client_old_secret_dropped', clientId } satisfies ClientSecretChange)
  return true
}

/** The record of a client that has no secret any more. */
export function withoutSecrets(client: Client): Client {
  const {
    secretHash: _,
    clientSecretExpiresAt: _ends,
    oldSecretHash: _old,
    oldSecretEndsAt: _until,
    ...rest
  } = client
  return rest
}

/** The secret that stays valid next to the new one. @throws OAuthError `conflict` */
function olderSecret(
  client: Client,
  {
    overlap,
    newSecretLost = false,
  }: { readonly overlap: number } & Pick<SecretRotationOptions, 'newSecretLost'>,
  now: number,
): Pick<Client, 'oldSecretHash' | 'oldSecretEndsAt'> {
  const { secretHash, clientSecretExpiresAt = Number.POSITIVE_INFINITY } = client
  const { oldSecretHash, oldSecretEndsAt = 0 } = client
  if (secretHash === undefined) throw new OAuthError(CLIENT_CHANGE_ERRORS.client_without_secret)
  if (overlap === 0) return {}
  if (now < oldSecretEndsAt) {
    // A third secret would end one of two, and only the operator knows which one is in use.
    if (!newSecretLost) throw new OAuthError(CLIENT_CHANGE_ERRORS.two_secrets_live)
    return { oldSecretHash, oldSecretEndsAt }
  }
  if (now >= clientSecretExpiresAt) return {}
  return { oldSecretHash: secretHash, oldSecretEndsAt: Math.min(now + overlap, clientSecretExpiresAt) }
}

function checkSeconds(
  name: string,
  seconds: number,
  { min, max }: { readonly min: number; readonly max: number },
): void {
  if (Number.isInteger(seconds) && seconds >= min && seconds <= max) return
  const fault = `${name}: must be a whole number of seconds from ${min} to ${max}`
  throw new OAuthError(METADATA_ERRORS.client_metadata_invalid, fault)
}
