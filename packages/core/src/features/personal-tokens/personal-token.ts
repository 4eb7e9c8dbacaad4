import type { ClientSource } from '../../clients/client-record.ts'
import { liveUntil } from '../../grants/change-grant.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Client, Grant } from '../../kernel/records.ts'

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

/** The client of all personal access tokens. Generated ids have 32 digits and documents are URLs, so no other client gets it. */
export const PERSONAL_CLIENT_ID = 'personal'

/**
 * It can do nothing: it has no grant type, no redirect URI and no scope. It is public, so whoever holds a personal access token may
 * revoke it (RFC 7009 2.1).
 */
const PERSONAL_CLIENT: Client = {
  clientId: PERSONAL_CLIENT_ID,
  origin: 'integration',
  clientName: 'Personal access token',
  applicationType: 'native',
  redirectUris: [],
  tokenEndpointAuthMethod: 'none',
  grantTypes: [],
  scopes: [],
  idTokenSignedResponseAlg: 'RS256',
  createdAt: 0,
  expiresAt: Number.MAX_SAFE_INTEGER,
}

/** A source and no record: it is there without a write, and no record of this id replaces it. */
export const personalClient: ClientSource = {
  owns: (clientId) => clientId === PERSONAL_CLIENT_ID,
  find: async () => PERSONAL_CLIENT,
}
