import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Store } from '@grantkit/core'
import type {
  Client,
  Grant,
  GrantOwner,
  GrantPage,
  GrantRecords,
  PageRequest,
  Transient,
  Transients,
} from '@grantkit/core/feature'
import { cursorOf, type Keys, keysOf } from '@grantkit/core/store-kit'
import { sendWithin } from './attempt.ts'
import { dynamoRecords } from './dynamo-records.ts'
import { type Entry, grantList } from './grant-list.ts'
import { grantsByKey } from './grants-by-key.ts'
import { sweep } from './sweep.ts'
import { PARTITIONS, type Table, type TableOptions } from './table.ts'

export interface DynamoStoreOptions extends TableOptions {
  /**
   * Time limit of a command in milliseconds, with all attempts of the client; after that DynamoDB counts as unreachable.
   * Default 1200, for two attempts of 500 and the wait between them.
   */
  readonly commandTimeout?: number | undefined
  /** The time in epoch seconds. Default: the system clock. */
  readonly now?: (() => number) | undefined
}

export interface DynamoStore extends Store {
  readonly transients: Transients
  within(namespace: string): Store
  /**
   * Deletes what has expired, and returns how many items. Only for a table without TTL: a global table with strong
   * consistency has none. It reads the whole table, so a command of the operator calls it and no request.
   */
  sweep(): Promise<number>
}

/**
 * A store in one DynamoDB table, shared by all processes and functions that use the table.
 *
 * @param client of the AWS SDK, with `CLIENT_SETTINGS`
 *
 * @example
 * ```ts
 * import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
 * import { CLIENT_SETTINGS, createDynamoStore } from '@grantkit/store-dynamodb'
 *
 * const client = new DynamoDBClient({ ...CLIENT_SETTINGS })
 * const store = createDynamoStore(client, { table: 'grantkit' })
 * ```
 */
export function createDynamoStore(
  client: DynamoDBClient,
  { table: name, commandTimeout = 1200, now = () => Math.floor(Date.now() / 1000) }: DynamoStoreOptions,
): DynamoStore {
  const table: Table = { name, send: sendWithin(commandTimeout, client), now }
  const recordsOf = (keys: Keys) => ({
    clients: dynamoRecords<Client>(table, PARTITIONS.client, keys),
    grants: grantRecords(table, keys),
    transients: dynamoRecords<Transient>(table, PARTITIONS.transient, keys),
  })
  return {
    ...recordsOf(keysOf()),
    within: (namespace) => recordsOf(keysOf(namespace)),
    sweep: () => sweep(table),
  }
}

function grantRecords(table: Table, keys: Keys): GrantRecords {
  const grants = dynamoRecords<Grant>(table, PARTITIONS.grant, keys)
  const entries = grantList(table, keys)
  return {
    ...grants,
    async insert(id, grant, expiresAt) {
      // Both, even if the id exists: an earlier attempt may have written only the grant. Its code is sent after both.
      const [inserted] = await Promise.all([
        grants.insert(id, grant, expiresAt),
        grant.subject === undefined ? undefined : entries.add(id, grant, expiresAt),
      ])
      return inserted
    },
    list,
  }

  async function list(owner: GrantOwner, request: PageRequest): Promise<GrantPage> {
    const page = await entries.page(owner, request)
    const found = await grantsByKey(
      table,
      page.entries.map(({ key }) => key),
    )
    const grantOf = ({ key, order }: Entry) => {
      const grant = found.get(key)
      return grant?.subject === owner.subject && grant.createdAt === order ? grant : undefined
    }
    const gone = page.entries.filter((entry) => grantOf(entry) === undefined)
    // A failure costs nothing: the next page meets the same entries.
    await Promise.allSettled(gone.map((entry) => entries.drop(owner, entry)))
    return {
      grants: page.entries
        .flatMap((entry) => grantOf(entry) ?? [])
        .filter(({ clientId }) => owner.clientId === undefined || owner.clientId === clientId),
      next: page.next && cursorOf(page.next),
    }
  }
}
