import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'

export interface TableOptions {
  /** The name or the ARN of the table. */
  readonly table: string
}

/** One table, and how it is called. */
export interface Table {
  readonly name: string
  /** Sends a command within the time limit of the store. */
  readonly send: DynamoDBClient['send']
  /** Epoch seconds. */
  readonly now: () => number
}

export const KEYS = { partition: 'pk', sort: 'sk' } as const
/** The attribute by which DynamoDB deletes (TTL): epoch seconds. */
export const EXPIRY = 'e'

/** The prefix of the partition key, by kind of item. */
export const PARTITIONS = { client: 'c#', grant: 'g#', transient: 't#', subject: 'u#' } as const

/** The sort key of a record: it is alone in its partition. */
export const RECORD = '.'

export const text = (value: string) => ({ S: value })

/** @throws RangeError for a time that DynamoDB would refuse or round */
export function time(seconds: number): { N: string } {
  if (!Number.isSafeInteger(seconds)) throw new RangeError(`Not a time in epoch seconds: ${seconds}`)
  return { N: String(seconds) }
}
