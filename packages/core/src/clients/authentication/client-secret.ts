/** Client secrets (RFC 6749 2.3.1): after a rotation a client has two, until the older one ends. */
import type { Kernel } from '../../kernel/kernel.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { type Hash, sameSecret, sha256 } from '../../kernel/secrets.ts'
import { AUTHENTICATION_ERRORS } from './client-authentication.ts'
import { type NoticeOnce, noticeOnce } from './notice-once.ts'

/** What a client does with its secrets that its operator should know. */
export type ClientSecretEvent =
  /** A client still uses its older secret. At most once an hour for a client: without it, the older secret can end. */
  | {
      readonly type: 'old_secret_used'
      readonly clientId: string
      /** When the older secret ends, in epoch seconds. */
      readonly endsAt: number
    }
  /** A client uses a secret that ends in at most 30 days, and once more in the last 7 days. An unused secret has no such event. */
  | {
      readonly type: 'client_secret_expiring'
      readonly clientId: string
      /** In epoch seconds. */
      readonly expiresAt: number
      /** 30 or 7. */
      readonly days: number
    }

/** Whether this is a live secret of the client. @throws OAuthError `invalid_client` */
export type VerifySecret = (secret: string, client: Client) => true | Promise<true>

export function secretVerifier(kernel: Pick<Kernel, 'now' | 'emit' | 'store'>): VerifySecret {
  const once = noticeOnce(kernel)
  return (secret, client) => {
    const match = matchOf(sha256(secret), client)
    if (match === undefined) throw new OAuthError(AUTHENTICATION_ERRORS.client_secret_wrong)
    const endsAt = match === 'newest' ? client.clientSecretExpiresAt : client.oldSecretEndsAt
    if (endsAt === undefined) return true
    if (kernel.now() >= endsAt) throw new OAuthError(AUTHENTICATION_ERRORS.client_secret_expired)
    const noticed = match === 'newest' ? noticeExpiry(kernel, once, client) : noticeOld(kernel, once, client)
    return noticed === undefined ? true : noticed.then(() => true)
  }
}

/** Compares both hashes each time, so that the duration does not reveal which secret it is. */
function matchOf(hash: Hash, { secretHash, oldSecretHash }: Client): 'newest' | 'older' | undefined {
  const isNewest = secretHash !== undefined && sameSecret(hash, secretHash)
  const isOlder = oldSecretHash !== undefined && sameSecret(hash, oldSecretHash)
  if (isNewest) return 'newest'
  return isOlder ? 'older' : undefined
}

const HOUR = 60 * 60
const DAY = 24 * HOUR

function noticeOld({ now, emit }: Pick<Kernel, 'now' | 'emit'>, once: NoticeOnce, client: Client) {
  const { clientId, oldSecretEndsAt: endsAt = 0 } = client
  const event = { type: 'old_secret_used', clientId, endsAt } satisfies ClientSecretEvent
  return once(`old:${clientId}`, now() + HOUR, () => emit(event))
}

/** Days before the end of a secret, the last notice first. */
const NOTICES = [7, 30]

function noticeExpiry({ now, emit }: Pick<Kernel, 'now' | 'emit'>, once: NoticeOnce, client: Client) {
  const { clientId, clientSecretExpiresAt: expiresAt = 0 } = client
  const days = NOTICES.find((notice) => expiresAt - now() <= notice * DAY)
  if (days === undefined) return undefined
  const event = { type: 'client_secret_expiring', clientId, expiresAt, days } satisfies ClientSecretEvent
  return once(`expiring:${clientId}:${expiresAt}:${days}`, expiresAt, () => emit(event))
}
