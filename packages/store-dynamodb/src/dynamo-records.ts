import {
  type AttributeValue,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import type { Records, Stored } from '@grantkit/core/feature'
import { type Keys, newVersion } from '@grantkit/core/store-kit'
import { deleted, ifConditionHolds } from './attempt.ts'
import { compactRecord, expandRecord } from './compact-record.ts'
import { KEYS, RECORD, type Table, text, time } from './table.ts'

type Item = Record<string, AttributeValue>

/** An expired item is gone for every statement; DynamoDB deletes it days later. A write that is sent twice meets its own version. */
const IF_ABSENT = 'attribute_not_exists(pk) OR e <= :now OR v = :own'
const IF_LIVE = 'e > :now'
const IF_UNCHANGED = 'v = :own OR (v = :seen AND e > :now)'

/**
 * One kind of record, one item per record in a partition of its own. Each method is one command on one item, and each read is
 * strong: an eventual one may show a revoked grant.
 */
export function dynamoRecords<T>(table: Table, prefix: string, keys: Keys): Records<T> {
  const { name: TableName, send, now } = table
  const itemKeyOf = (id: string) => itemKey(prefix, keys.record(id))

  /** @param seen the version that must be there; without it no live record may be there */
  function write(id: string, value: T, expiresAt: number, seen?: string): Promise<boolean> {
    const own = text(newVersion())
    const command = new PutItemCommand({
      TableName,
      Item: { ...itemKeyOf(id), v: own, d: text(compactRecord(value)), e: time(expiresAt) },
      ConditionExpression: seen === undefined ? IF_ABSENT : IF_UNCHANGED,
      ExpressionAttributeValues: {
        ':own': own,
        ':now': time(now()),
        ...(seen === undefined ? {} : { ':seen': text(seen) }),
      },
    })
    return ifConditionHolds(send(command))
  }

  return {
    async find(id) {
      const command = new GetItemCommand({ TableName, Key: itemKeyOf(id), ConsistentRead: true })
      const { Item } = await send(command)
      return storedOf<T>(Item, now())
    },
    insert: async (id, value, expiresAt) => write(id, value, expiresAt),
    replace: async (id, seen, value, expiresAt) => write(id, value, expiresAt, String(seen.version)),
    async remove(id) {
      const command = new DeleteItemCommand({
        TableName,
        Key: itemKeyOf(id),
        // Only one of several removals meets it. The old item in the answer says less: DynamoDB Local shows it to several.
        ConditionExpression: IF_LIVE,
        ExpressionAttributeValues: { ':now': time(now()) },
      })
      return deleted(send(command))
    },
    async *scan() {
      let ExclusiveStartKey: Item | undefined
      do {
        const command = new ScanCommand({
          TableName,
          ConsistentRead: true,
          FilterExpression: 'pk > :after AND pk < :before AND e > :now',
          ExpressionAttributeValues: {
            ':after': text(prefix + keys.after),
            ':before': text(prefix + keys.before),
            ':now': time(now()),
          },
          Limit: ITEMS_PER_PAGE,
          ExclusiveStartKey,
        })
        const page = await send(command)
        for (const item of page.Items ?? []) yield recordOf<T>(item)
        ExclusiveStartKey = page.LastEvaluatedKey
      } while (ExclusiveStartKey !== undefined)
    },
  }
}

/** A page is read within the time limit of a command. */
const ITEMS_PER_PAGE = 500

export function itemKey(prefix: string, key: string): Item {
  return { [KEYS.partition]: text(prefix + key), [KEYS.sort]: text(RECORD) }
}

export function keyOf(item: Item, prefix: string): string {
  return item[KEYS.partition]?.S?.slice(prefix.length) ?? ''
}

/** A record of an item, or none if it has expired. @param now epoch seconds */
export function storedOf<T>(item: Item | undefined, now: number): Stored<T> | undefined {
  return isLive(item, now) ? { value: recordOf<T>(item), version: item.v?.S } : undefined
}

function isLive(item: Item | undefined, now: number): item is Item {
  return Number(item?.e?.N ?? 0) > now
}

function recordOf<T>({ d }: Item): T {
  if (d?.S === undefined) throw new Error('A record has no text that this release can read')
  return expandRecord<T>(d.S)
}
