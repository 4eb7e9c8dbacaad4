import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'

/**
 * Settings of `DynamoDBClient` for an authorization server: an attempt has half a second, and there are two. By default the
 * client waits for an answer without a limit.
 *
 * @example
 * ```ts
 * import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
 * import { CLIENT_SETTINGS } from '@grantkit/store-dynamodb'
 *
 * const client = new DynamoDBClient({ ...CLIENT_SETTINGS, region: 'eu-central-1' })
 * ```
 */
export const CLIENT_SETTINGS = {
  maxAttempts: 2,
  // Without the last one the client only logs that the time has passed.
  requestHandler: { connectionTimeout: 500, requestTimeout: 500, throwOnRequestTimeout: true },
} as const satisfies DynamoDBClientConfig
