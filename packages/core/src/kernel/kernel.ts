/**
 * The ground floor: records and their port, errors, events, scopes, resources, secrets and time. It knows no request and
 * no room, and every room stands on it.
 */
import type { Emit } from './events.ts'
import type { Client } from './records.ts'
import type { ScopeCatalogue } from './scope.ts'
import type { Random } from './secrets.ts'
import type { GrantRecords, Records, Transients } from './store.ts'

/**
 * The shared basis of all rooms and features: the identity of the server, its records, clock, randomness and event
 * sink. Anything else a room needs is its own option.
 */
export interface Kernel {
  /** The issuer, exactly as clients see it (RFC 8414 2). */
  readonly issuer: string
  readonly scopes: ScopeCatalogue
  /** The resource indicators that tokens can be bound to (RFC 8707), canonical. */
  readonly resources: readonly string[]
  /** Those of them that take only tokens that are bound to a key (RFC 9449). */
  readonly boundResources: readonly string[]
  /** The maximum number of live grants of one user and one client. */
  readonly maxGrantsPerClient: number
  readonly store: KernelStore
  /** Epoch seconds. */
  readonly now: () => number
  readonly random: Random
  readonly emit: Emit
}

/** The records. If the store fails, the answer is a 503 (`store_unavailable`). */
export interface KernelStore {
  readonly clients: Clients
  readonly grants: GrantRecords
  /** Absent when the store has none. */
  readonly transients?: Transients | undefined
  /** What ended before it expired, for guards without the store. It is kept in the transients. */
  readonly revocations?: RevocationLog | undefined
}

export interface RevocationLog {
  /** Resolves when the entry is stored. What is appended during a write is in the next one together. */
  append(entry: string): Promise<void>
  /** @param after `next` of an earlier call; without it, everything that a guard could still honour */
  read(after?: string): Promise<{ readonly entries: readonly string[]; readonly next: string }>
}

/** The clients of all sources. An id may be anything, because it comes from a stranger. */
export interface Clients {
  /** Those in the store alone. */
  readonly records: Records<Client>
  /** Finds a client that exists. */
  readonly find: (clientId: string) => Promise<Client | undefined>
  /** The host that is asked who the client is, if a host is. Then only a signed-in user can begin an authorization. */
  readonly describedBy: (clientId: string) => string | undefined
  /**
   * Finds the client of a new authorization. @param user absent if nobody needed to sign in; then no host is asked
   *
   * @throws OAuthError when the host that describes it does not
   */
  readonly describe: (clientId: string, user?: RequestingUser) => Promise<Client | undefined>
  /** Keeps an approved client at least until `until` (epoch seconds). @throws OAuthError `client_unknown` */
  readonly keep: (client: Client, until: number) => Promise<void>
  /** @returns whether it existed */
  readonly remove: (clientId: string) => Promise<boolean>
}

/** The signed-in user for whom a host is asked about a client. */
export interface RequestingUser {
  readonly subject: string
  /** Hash of the document that this user has been shown. */
  readonly shown?: string | undefined
  /** Counts a client that nobody has approved yet. @throws OAuthError 429 */
  readonly countUnknown: () => Promise<void>
}

/** The time of the machine in epoch seconds. */
export function systemClock(): number {
  return Math.floor(Date.now() / 1000)
}

/** Seconds by which two clocks may differ: of replicas, or of a client and this server. */
export const CLOCK_TOLERANCE = 60

/** A lifetime option in whole seconds. @throws Error that names the wrong option */
export function lifetime(name: string, given: number | undefined, fallback: number, least = 1): number {
  const seconds = given ?? fallback
  if (!Number.isInteger(seconds) || seconds < least)
    throw new Error(`lifetimes.${name} must be a whole number of seconds, at least ${least}`)
  return seconds
}
