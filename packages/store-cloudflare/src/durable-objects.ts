/**
 * Clients and grants in Durable Objects, for Cloudflare Workers.
 *
 * @module
 */
import type { Store } from '@grantkit/core'
import type { Client, Transient, Transients } from '@grantkit/core/feature'
import { type Keys, keysOf } from '@grantkit/core/store-kit'
import { objectGrants } from './object-grants.ts'
import { type Jurisdiction, type LocationHint, objectsOf, type RecordsNamespace } from './objects.ts'
import { COMMAND_TIMEOUT, type CommonOptions, epochSeconds } from './options.ts'
import { type StatementCall, type StatementRunner, statementRecords } from './records.ts'

export { GrantkitRecords } from './object.ts'
export type { Jurisdiction, LocationHint, RecordsNamespace, RecordsStub } from './objects.ts'

export interface DurableStoreOptions extends CommonOptions {
  /** The number of objects, 1 to 4,096. It can never change. Default 64. */
  readonly objects?: number | undefined
  /** Where objects begin to live, which is near the first request otherwise. They never move. */
  readonly locationHint?: LocationHint | undefined
  /** Keeps all objects in it. With another one the store is another, empty store. */
  readonly jurisdiction?: Jurisdiction | undefined
}

export interface DurableStore extends Store {
  readonly transients: Transients
  within(namespace: string): Store
}

const MAX_OBJECTS = 4096

/**
 * A store in Durable Objects.
 *
 * @param namespace the binding of `GrantkitRecords`
 * @throws RangeError for a number of objects that is not 1 to 4,096
 *
 * @example
 * ```ts
 * import { createDurableStore, type RecordsNamespace } from '@grantkit/store-cloudflare/durable-objects'
 *
 * export { GrantkitRecords } from '@grantkit/store-cloudflare/durable-objects'
 * export const storeOf = (env: { readonly RECORDS: RecordsNamespace }) => createDurableStore(env.RECORDS)
 * ```
 */
export function createDurableStore(
  namespace: RecordsNamespace,
  options: DurableStoreOptions = {},
): DurableStore {
  const { objects: count = 64, locationHint, jurisdiction } = options
  const { commandTimeout = COMMAND_TIMEOUT, now = epochSeconds } = options
  if (!Number.isInteger(count) || count < 1 || count > MAX_OBJECTS)
    throw new RangeError(`objects must be 1 to ${MAX_OBJECTS}, not ${count}`)
  const objects = objectsOf(namespace, { count, locationHint, jurisdiction, commandTimeout })

  const at =
    (position: number) =>
    ({ kind, verb, key, parameters }: StatementCall) =>
      objects.callAt(position, (stub) => stub.run(kind, verb, [key, ...parameters]))
  const runner: StatementRunner = {
    run: (call) => at(objects.positionOf(call.key))(call),
    parts: () => Array.from({ length: count }, (_, position) => at(position)),
    now,
  }
  const recordsOf = (keys: Keys) => ({
    clients: statementRecords<Client>(runner, 'client', keys),
    grants: objectGrants(runner, objects, keys),
    transients: statementRecords<Transient>(runner, 'transient', keys),
  })
  return { ...recordsOf(keysOf()), within: (namespace) => recordsOf(keysOf(namespace)) }
}
