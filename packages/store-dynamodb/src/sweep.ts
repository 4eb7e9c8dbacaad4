import { type AttributeValue, DeleteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { SWEEP_MARGIN } from '@grantkit/core/store-kit'
import { deleted } from './attempt.ts'
import { type Table, time } from './table.ts'

type Item = Record<string, AttributeValue>

/** Few, so that requests are not throttled. */
const ITEMS_PER_PAGE = 100

/** Deletes all items that expired an hour ago or earlier. @returns how many */
export async function sweep(table: Table): Promise<number> {
  const { name: TableName, send, now } = table
  const values = { ':end': time(now() - SWEEP_MARGIN) }
  let swept = 0
  let ExclusiveStartKey: Item | undefined
  do {
    const command = new ScanCommand({
      TableName,
      ProjectionExpression: 'pk, sk',
      FilterExpression: 'e <= :end',
      ExpressionAttributeValues: values,
      Limit: ITEMS_PER_PAGE,
      ExclusiveStartKey,
    })
    const page = await send(command)
    const removals = await Promise.all((page.Items ?? []).map((Key) => remove(table, Key, values)))
    swept += removals.filter(Boolean).length
    ExclusiveStartKey = page.LastEvaluatedKey
  } while (ExclusiveStartKey !== undefined)
  return swept
}

/** Only if it has expired still: the scan is not strong, and an insert may have taken the key meanwhile. */
function remove({ name, send }: Table, Key: Item, values: Item): Promise<boolean> {
  const command = new DeleteItemCommand({
    TableName: name,
    Key,
    ConditionExpression: 'e <= :end',
    ExpressionAttributeValues: values,
  })
  return deleted(send(command))
}
