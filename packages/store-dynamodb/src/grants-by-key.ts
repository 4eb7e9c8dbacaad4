import { setTimeout as sleep } from 'node:timers/promises'
import { type AttributeValue, BatchGetItemCommand } from '@aws-sdk/client-dynamodb'
import type { Grant } from '@grantkit/core/feature'
import { itemKey, keyOf, storedOf } from './dynamo-records.ts'
import { PARTITIONS, type Table } from './table.ts'

type Item = Record<string, AttributeValue>

export async function grantsByKey(table: Table, keys: readonly string[]): Promise<Map<string, Grant>> {
  const wanted = [...new Set(keys)].map((key) => itemKey(PARTITIONS.grant, key))
  const batches = Array.from({ length: Math.ceil(wanted.length / KEYS_PER_BATCH) }, (_, at) =>
    wanted.slice(at * KEYS_PER_BATCH, (at + 1) * KEYS_PER_BATCH),
  )
  const items = await Promise.all(batches.map((batch) => itemsOf(table, batch)))
  return new Map(items.flat().flatMap((item) => entryOf(item, table.now())))
}

function entryOf(item: Item, now: number): [key: string, grant: Grant][] {
  const stored = storedOf<Grant>(item, now)
  return stored === undefined ? [] : [[keyOf(item, PARTITIONS.grant), stored.value]]
}

/** The maximum of DynamoDB. */
const KEYS_PER_BATCH = 100

async function itemsOf(table: Table, batch: readonly Item[]): Promise<Item[]> {
  const items: Item[] = []
  let keys = [...batch]
  for (let attempt = 0; keys.length > 0; attempt++) {
    if (attempt === MAX_ATTEMPTS) throw new Error('DynamoDB throttles the reads of a list')
    if (attempt > 0) await sleep(PAUSE_MS * attempt * (1 + Math.random()))
    const { found, left } = await read(table, keys)
    items.push(...found)
    keys = left
  }
  return items
}

async function read({ name, send }: Table, keys: Item[]): Promise<{ found: Item[]; left: Item[] }> {
  const command = new BatchGetItemCommand({ RequestItems: { [name]: { Keys: keys, ConsistentRead: true } } })
  const answer = await send(command)
  // By the name or the ARN of the table: it is the only one.
  return {
    found: Object.values(answer.Responses ?? {}).flat(),
    left: Object.values(answer.UnprocessedKeys ?? {}).flatMap(({ Keys = [] }) => Keys),
  }
}

/** An answer of 16 MB, or a throttled partition, leaves some keys for another attempt. */
const MAX_ATTEMPTS = 8
const PAUSE_MS = 50
