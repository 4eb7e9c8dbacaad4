import { readFile } from 'node:fs/promises'
import type { StaticClient } from '@grantkit/core'
import { z } from 'zod'
import { refuse } from './command-line.ts'
import { grantTypesOf } from './grant-option.ts'

interface IntegrationOptions {
  readonly grant: readonly string[]
  readonly scope?: string | undefined
  readonly auth?: string | undefined
  readonly public: boolean
  readonly 'redirect-uri': readonly string[]
}

/**
 * An integration with client credentials. A client that also signs users in is a second integration, with another id.
 */
export function clientCredentialsIntegration(
  usage: string,
  name: string,
  options: IntegrationOptions,
): StaticClient {
  const grant_types = grantTypesOf(usage, options.grant, [])
  if (options.grant.length > 1)
    refuse(usage, 'client_credentials cannot be combined with another --grant: add two integrations.')
  if (options.scope === undefined)
    refuse(usage, '--scope is required: it lists everything that the client can do.')
  if (options.public) refuse(usage, 'client_credentials needs client authentication: it cannot be --public.')
  if (options['redirect-uri'].length > 0)
    refuse(usage, 'client_credentials has no redirect: leave out --redirect-uri.')
  return {
    clientName: name,
    redirectUris: [],
    grantTypes: grant_types,
    clientCredentialsScopes: options.scope.split(' '),
    tokenEndpointAuthMethod: options.auth ?? 'client_secret_basic',
  }
}

const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) })

/** @throws Error that names the file without its content, which may be a private key */
export async function readKeySet(path: string): Promise<z.output<typeof KeySet>> {
  const text = await readFile(path, 'utf8')
  try {
    return KeySet.parse(JSON.parse(text))
  } catch {
    throw new Error(`${path} is not a JSON Web Key set: {"keys": […]}`)
  }
}
