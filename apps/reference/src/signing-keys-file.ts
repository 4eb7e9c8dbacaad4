import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { PrivateJwk } from '@grantkit/core'
import { exportJWK, generateKeyPair } from 'jose'
import { z } from 'zod'

const KeySet = z.object({ keys: z.array(PrivateJwk).min(1) })

/** Reads a JSON Web Key set of private keys. @throws Error that says what is wrong with it */
export async function readSigningKeys(path: string): Promise<PrivateJwk[]> {
  const parsed = KeySet.safeParse(JSON.parse(await readFile(path, 'utf8')))
  if (!parsed.success)
    throw new Error(`${path} is not a set of private signing keys: ${z.prettifyError(parsed.error)}`)
  return parsed.data.keys
}

/** A new key for each algorithm, as the text of a file. */
export async function newSigningKeys(): Promise<string> {
  const keys = await Promise.all((['RS256', 'ES256', 'EdDSA'] as const).map(newSigningKey))
  return `${JSON.stringify({ keys }, null, 2)}\n`
}

async function newSigningKey(alg: PrivateJwk['alg']) {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: randomUUID() }
}
