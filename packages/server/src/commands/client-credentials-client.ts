import type { StaticClient } from '@grantkit/core'
import * as z from 'zod'
import type { Config } from '../config/config.ts'
import { readTextFile } from '../config/text-file.ts'
import { UsageError } from './command-line.ts'
import { grantTypesOf } from './grant-option.ts'

interface ClientOptions {
  readonly grants: readonly string[]
  readonly redirectUris: readonly string[]
  readonly scope?: string | undefined
  readonly auth?: string | undefined
  readonly public?: boolean | undefined
}

/**
 * A static client with client credentials. A client that also signs users in is a second client, with another id.
 *
 * @throws UsageError
 */
export function clientCredentialsClient(
  features: Config['features'],
  options: ClientOptions,
): Omit<StaticClient, 'clientName'> {
  const { grants, scope, auth, redirectUris } = options
  const grantTypes = grantTypesOf(features, grants, [])
  if (grants.length > 1)
    throw new UsageError('client_credentials cannot be combined with another --grant: add two integrations.')
  if (scope === undefined)
    throw new UsageError('--scope is required: it lists everything that the client can do.')
  if (options.public)
    throw new UsageError('client_credentials needs client authentication: it cannot be --public.')
  if (redirectUris.length > 0)
    throw new UsageError('client_credentials has no redirect: leave out --redirect-uri.')
  return {
    redirectUris: [],
    grantTypes,
    clientCredentialsScopes: scope.split(' '),
    tokenEndpointAuthMethod: auth ?? 'client_secret_basic',
  }
}

const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) })

/** @throws Error that names the file without its content, which may be a private key */
export async function readKeySet(path: string): Promise<z.output<typeof KeySet>> {
  const text = await readTextFile(path)
  try {
    return KeySet.parse(JSON.parse(text))
  } catch {
    throw new Error(`${path} is not a JSON Web Key set: {"keys": […]}`)
  }
}
