import { readFile } from 'node:fs/promises'
import type { StaticClient } from '@grantkit/core'
import { z } from 'zod'
import { refuse } from './command-line.ts'
import { grantTypesOf } from './grant-option.ts'

interface Asked {
  readonly grant: readonly string[]
  readonly scope?: string | undefined
  readonly auth?: string | undefined
  readonly public: boolean
  readonly 'redirect-uri': readonly string[]
}

/** An integration that is a job. Whoever sends users too is another one, with another id: each has what it needs. */
export function machineOf(usage: string, name: string, asked: Asked): StaticClient {
  const grant_types = grantTypesOf(usage, asked.grant, [])
  if (asked.grant.length > 1) refuse(usage, 'A job has no other --grant: add two integrations.')
  if (asked.scope === undefined) refuse(usage, '--scope must be given: it is all that the job can do.')
  if (asked.public) refuse(usage, 'A job must prove who it is: it cannot be --public.')
  if (asked['redirect-uri'].length > 0) refuse(usage, 'A job has no browser: leave out --redirect-uri.')
  return {
    clientName: name,
    redirectUris: [],
    grantTypes: grant_types,
    clientCredentialsScopes: asked.scope.split(' '),
    tokenEndpointAuthMethod: asked.auth ?? 'client_secret_basic',
  }
}

const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) })

/** @throws Error that names the file, and shows nothing of it: it may hold a private key */
export async function readKeySet(path: string): Promise<z.output<typeof KeySet>> {
  const text = await readFile(path, 'utf8')
  try {
    return KeySet.parse(JSON.parse(text))
  } catch {
    throw new Error(`${path} is no JSON Web Key set: {"keys": […]}`)
  }
}
