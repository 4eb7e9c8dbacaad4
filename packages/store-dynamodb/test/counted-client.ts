import { type AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { LOCAL } from './table-under-test.ts'

/** A command that was sent, and what it would cost. */
export interface Operation {
  readonly command: string
  /** Read or write units, as the server counts them. */
  readonly units: number
}

/** A client that notes its commands. */
export function countedClient(endpoint: string): { client: DynamoDBClient; operations: Operation[] } {
  const client = new DynamoDBClient({ ...LOCAL, endpoint })
  const operations: Operation[] = []
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' })
        const result = await next(args)
        const { ConsumedCapacity } = result.output as { ConsumedCapacity?: Consumed | Consumed[] }
        const consumed = [ConsumedCapacity ?? []].flat()
        const units = consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
        operations.push({ command: String(commandName).replace('Command', ''), units })
        return result
      },
    { step: 'initialize' },
  )
  return { client, operations }
}

interface Consumed {
  readonly CapacityUnits?: number
}

/**
 * The size of an item as DynamoDB bills it: names and values. A number takes a byte for two of its digits, and one more.
 */
export function bytesOf(item: Record<string, AttributeValue>): number {
  return Object.entries(item).reduce((sum, [name, { S, N }]) => {
    if (S === undefined && N === undefined) throw new Error(`${name} has a type that this does not count`)
    return sum + Buffer.byteLength(name) + (N === undefined ? Buffer.byteLength(S ?? '') : numberBytes(N))
  }, 0)
}

function numberBytes(digits: string): number {
  return Math.ceil(digits.replace(/0+$/, '').length / 2) + 1
}
