import { liveUntil } from '../grants/change-grant.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Grant } from '../kernel/records.ts'
import { PERSONAL_CLIENT_ID } from './personal-client.ts'

/** A live personal access token, without its text. Times are epoch seconds. */
export interface PersonalToken {
  /** The id of its grant. */
  readonly id: string
  readonly label: string
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly createdAt: number
  /** Absent: it has no end. */
  readonly expiresAt: number | undefined
  /** Up to an hour late. Absent: it was not used yet. */
  readonly lastUsedAt?: number | undefined
  /** The network of that use (24 bits of IPv4, 48 of IPv6), if the guard knew the address. */
  readonly lastNetwork?: string | undefined
}

/** 100 years, for a token without an end: stores need one. */
export const ENDLESS = 100 * 365 * 24 * 60 * 60

export function personalToken(grant: Grant): PersonalToken {
  const { id, label = '', scopes, resources, createdAt, usedAt, expiresAt, network } = grant
  const isEndless = expiresAt - createdAt >= ENDLESS
  return {
    ...{ id, label, scopes, resources, createdAt },
    expiresAt: isEndless ? undefined : expiresAt,
    ...(usedAt > createdAt && { lastUsedAt: usedAt }),
    ...(network !== undefined && { lastNetwork: network }),
  }
}

const PAGE = 200

/** The live tokens of a user, the newest first. */
export async function tokensOf({ store, now }: Kernel, subject: string): Promise<Grant[]> {
  const found: Grant[] = []
  let after: string | undefined
  do {
    const page = await store.grants.list({ subject, clientId: PERSONAL_CLIENT_ID }, { limit: PAGE, after })
    found.push(...page.grants.filter((grant) => grant.origin === 'personal' && now() < liveUntil(grant)))
    after = page.next
  } while (after !== undefined)
  return found
}
