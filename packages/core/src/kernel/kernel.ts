/**
 * The ground floor: records and their port, refusals, events, scopes, resources, secrets and time. It knows no request and
 * no room, and every room stands on it.
 */
import type { Emit } from './events.ts'
import type { Client } from './records.ts'
import type { ScopeCatalogue } from './scope.ts'
import type { Random } from './secrets.ts'
import type { GrantRecords, Records, Transients } from './store.ts'

/**
 * What every room may count on, and all that a feature is handed: what the server is, its records, time, chance and
 * somebody to tell. Whatever else a room needs is an option of its own.
 */
export interface Kernel {
  /** The issuer, byte for byte as clients see it (RFC 8414 2). */
  readonly issuer: string
  readonly scopes: ScopeCatalogue
  /** The resource indicators that tokens can be bound to (RFC 8707), canonical. */
  readonly resources: readonly string[]
  readonly store: KernelStore
  /** Epoch seconds. */
  readonly now: () => number
  readonly random: Random
  readonly emit: Emit
}

/** The records as rooms see them: a store that is down is a 503 (`store_unavailable`). */
export interface KernelStore {
  readonly clients: Clients
  readonly grants: GrantRecords
  /** Absent when the store has none. */
  readonly transients?: Transients | undefined
}

/** All clients, whatever source knows them, and the verbs for those that the store keeps. */
export interface Clients extends Pick<Records<Client>, 'insert' | 'remove' | 'scan'> {
  /** The client of an id that may be anything a stranger sent. */
  readonly find: (clientId: string) => Promise<Client | undefined>
  /** Keeps an approved client at least until then (epoch seconds). @throws OAuthError `client_unknown` */
  readonly extendExpiry: (clientId: string, until: number) => Promise<void>
}

/** The time of the machine in epoch seconds. */
export function systemClock(): number {
  return Math.floor(Date.now() / 1000)
}

/** A time span of the options in whole seconds. @throws Error that names the option at fault */
export function lifetime(name: string, given: number | undefined, fallback: number, least = 1): number {
  const seconds = given ?? fallback
  if (!Number.isInteger(seconds) || seconds < least)
    throw new Error(`lifetimes.${name} must be a whole number of seconds, at least ${least}`)
  return seconds
}
