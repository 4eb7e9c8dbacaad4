import {
  type AttributeValue,
  DeleteItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb'
import type { Grant, GrantOwner, PageRequest } from '@grantkit/core/feature'
import { type Keys, type Place, placeOf } from '@grantkit/core/store-kit'
import { PARTITIONS, type Table, text, time } from './table.ts'

/** An entry in the list of a subject: it names a grant. */
export interface Entry extends Place {
  /** When it was written, in epoch seconds. */
  readonly writtenAt: number
}

interface EntryPage {
  readonly entries: readonly Entry[]
  /** Where the next page goes on, if there may be one. */
  readonly next: Place | undefined
}

/**
 * The grants of each subject, as the items of one partition: a strong read shows them all. A global secondary index would be
 * eventual, and "revoke all" would miss the newest grant.
 */
export interface GrantList {
  add(id: string, grant: Grant, expiresAt: number): Promise<void>
  /** The entries of a page, the newest first. For a subject and a client it may have entries of other clients, too. */
  page(owner: GrantOwner, request: PageRequest): Promise<EntryPage>
  /** Removes an entry whose grant is gone, unless it was written again or may be about to get its grant. */
  drop(owner: GrantOwner, entry: Entry): Promise<void>
}

export function grantList({ name: TableName, send, now }: Table, keys: Keys): GrantList {
  const partitionOf = (subject: string) => PARTITIONS.subject + keys.subject(subject)
  const entryKey = (subject: string, place: Place): Item => ({
    pk: text(partitionOf(subject)),
    sk: text(sortKey(place)),
  })
  // Two clients could share a mark, so a reader also compares the client of the grant.
  const clientMark = (subject: string, clientId: string) => text(keys.subject(subject, clientId).slice(0, 8))

  return {
    async add(id, grant, expiresAt) {
      const { subject = '', clientId, createdAt } = grant
      const command = new PutItemCommand({
        TableName,
        Item: {
          ...entryKey(subject, { order: createdAt, key: keys.record(id) }),
          c: clientMark(subject, clientId),
          w: time(now()),
          e: time(Math.max(expiresAt, grant.expiresAt)),
        },
      })
      await send(command)
    },
    async page({ subject, clientId }, { limit, after }) {
      const command = new QueryCommand({
        TableName,
        ConsistentRead: true,
        ScanIndexForward: false,
        KeyConditionExpression: 'pk = :subject AND sk < :after',
        ExpressionAttributeValues: {
          ':subject': text(partitionOf(subject)),
          ':after': text(sortKey(startOf(after))),
          ':now': time(now()),
          ...(clientId === undefined ? {} : { ':client': clientMark(subject, clientId) }),
        },
        FilterExpression: clientId === undefined ? 'e > :now' : 'e > :now AND c = :client',
        // DynamoDB counts before it filters. One read unit has forty entries, and few users have as many grants.
        Limit: clientId === undefined ? limit : undefined,
      })
      const { Items = [], LastEvaluatedKey } = await send(command)
      const entries = Items.map(entryOf)
      const next =
        entries.length > limit ? entries[limit - 1] : LastEvaluatedKey && placeOfItem(LastEvaluatedKey)
      return { entries: entries.slice(0, limit), next }
    },
    async drop({ subject }, entry) {
      if (entry.writtenAt > now() - SETTLED_SECONDS) return
      const command = new DeleteItemCommand({
        TableName,
        Key: entryKey(subject, entry),
        ConditionExpression: 'w = :seen',
        ExpressionAttributeValues: { ':seen': time(entry.writtenAt) },
      })
      await send(command)
    },
  }
}

/** A grant may be written a little after its entry, by another process with another clock. */
const SETTLED_SECONDS = 3600

type Item = Record<string, AttributeValue>

function entryOf(item: Item): Entry {
  return { ...placeOfItem(item), writtenAt: Number(item.w?.N) }
}

/** Sorts by the beginning of the grant, then by its key. */
function sortKey({ order, key }: Place): string {
  return `${String(order).padStart(DIGITS, '0')}.${key}`
}

const DIGITS = String(Number.MAX_SAFE_INTEGER).length

function placeOfItem({ sk }: Item): Place {
  const [order, key = ''] = sk?.S?.split('.', 2) ?? []
  return { order: Number(order), key }
}

/** The place of a cursor, which comes from a user: DynamoDB refuses a sort key of more than 1,024 bytes. */
function startOf(cursor: string | undefined): Place {
  const place = placeOf(cursor)
  return KEY.test(place.key) ? place : placeOf()
}

const KEY = /^[\w=~-]{1,64}$/
