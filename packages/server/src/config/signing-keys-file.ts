import { createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newSigningKeys, PrivateJwk, rotateSigningKeys } from '@grantkit/core'
import * as z from 'zod'
import { contentOf, createFile, jsonOf, readTextFile, replaceFile } from './text-file.ts'

/** A JSON Web Key set of private keys in a file that is readable by its owner only. */

const KeySet = z.object({ keys: z.array(PrivateJwk).min(1) })
const READ_AGAIN_MS = 5000
const MISSING = '. The command "keys rotate" creates it.'

/** The operator rotated the keys, or removed compromised ones. The ids of the added and the removed keys. */
export interface SigningKeysRotated {
  readonly type: 'signing_keys_rotated'
  readonly added: readonly string[]
  readonly retired: readonly string[]
  readonly compromised: boolean
}

interface RotationOptions {
  readonly profile: 'fapi2' | undefined
  /** Of access tokens, in seconds. */
  readonly lifetime: number
}

type Algorithm = PrivateJwk['alg']
/** `openid` requires RS256, unless a profile forbids it (OpenID Connect Core 15.1). */
const ALGORITHMS: readonly Algorithm[] = ['RS256', 'ES256', 'EdDSA']
/** The server's algorithms that the FAPI 2.0 Security Profile allows (5.4.1, item 1). */
const isAllowedBy = (profile: 'fapi2' | undefined) => (alg: Algorithm) =>
  profile === undefined || alg !== 'RS256'

/** @throws Error that names the fault of the file */
export async function readSigningKeys(path: string): Promise<PrivateJwk[]> {
  return parseKeySet(path, await readTextFile(path))
}

/**
 * The current keys of a file that the profile allows: the same array until they change. The file is reloaded every few
 * seconds until the signal aborts. If it becomes invalid, the old keys stay.
 *
 * @param onError called once per fault
 * @throws ConfigError if the file is invalid now
 */
export async function followSigningKeys(
  path: string,
  profile: 'fapi2' | undefined,
  onError: (error: unknown) => void,
  closed: AbortSignal,
  readAgainMs: number = READ_AGAIN_MS,
): Promise<() => readonly PrivateJwk[]> {
  const isAllowed = isAllowedBy(profile)
  const keysIn = (text: string) => parseKeySet(path, text).filter(({ alg }) => isAllowed(alg))
  const read = (text: string) => ({ text, keys: keysIn(text) })
  let { text, keys } = await contentOf('KEYS_FILE', path, read, MISSING)
  let fault = ''
  let timer: NodeJS.Timeout | undefined

  async function readAgain(): Promise<void> {
    try {
      const latest = await readTextFile(path)
      if (latest !== text) keys = keysIn(latest)
      text = latest
      fault = ''
    } catch (cause) {
      if (fault !== String(cause)) onError(new Error('The earlier signing keys stay in use', { cause }))
      fault = String(cause)
    }
  }
  /** Reads sequentially: a slow read that ends after the next one would report an old fault again. */
  function readAgainLater(): void {
    if (closed.aborted) return
    timer = setTimeout(() => void readAgain().finally(readAgainLater), readAgainMs).unref()
  }
  closed.addEventListener('abort', () => clearTimeout(timer))
  readAgainLater()
  return () => keys
}

/** New keys, one for each algorithm that the profile allows. */
export function newKeys(
  profile: 'fapi2' | undefined,
  algorithms?: readonly Algorithm[],
): Promise<PrivateJwk[]> {
  return newSigningKeys((algorithms ?? ALGORITHMS).filter(isAllowedBy(profile)))
}

/** Adds new keys for the algorithms in the file, and removes keys that no unexpired token needs. */
export async function rotateKeysFile(
  path: string,
  { profile, lifetime }: RotationOptions,
  now: number,
): Promise<PrivateJwk[]> {
  const keys = await readSigningKeys(path)
  const fresh = await newKeys(profile, algorithmsOf(keys))
  const rotated = rotateSigningKeys(keys, fresh, now, lifetime)
  await replaceFile(path, keySetText(rotated))
  return rotated
}

/**
 * Removes compromised keys at once. The remaining keys sign from now on; an algorithm without a remaining key gets a
 * new one, because the metadata lists it.
 *
 * @param kids all keys if empty
 * @throws Error that names a kid that the file does not have
 */
export async function removeFromKeysFile(
  path: string,
  profile: 'fapi2' | undefined,
  kids: readonly string[],
): Promise<PrivateJwk[]> {
  const keys = await readSigningKeys(path)
  const unknown = kids.find((kid) => !keys.some((key) => key.kid === kid))
  if (unknown !== undefined)
    throw new Error(`${path} has no key ${unknown}, but ${keys.map(({ kid }) => kid).join(', ')}`)
  const left = keys.filter(({ kid }) => kids.length > 0 && !kids.includes(kid))
  const lacking = algorithmsOf(keys).filter((alg) => !left.some((key) => key.alg === alg))
  const remaining = [...left, ...(await newKeys(profile, lacking))]
  await replaceFile(path, keySetText(remaining))
  return remaining
}

function algorithmsOf(keys: readonly PrivateJwk[]): Algorithm[] {
  return [...new Set(keys.map(({ alg }) => alg))]
}

/** The text of a file with these keys. */
export function keySetText(keys: readonly PrivateJwk[]): string {
  return `${JSON.stringify({ keys }, null, 2)}\n`
}

function parseKeySet(path: string, text: string): PrivateJwk[] {
  const { keys } = jsonOf(KeySet, 'set of private signing keys')(text, path)
  const useless = keys.find((key) => !signs(key))
  if (useless !== undefined)
    throw new Error(`${path}: the key ${useless.kid} cannot sign by ${useless.alg}, as its "alg" says`)
  return keys
}

/** RFC 7518 3.1, RFC 8037 3.1 */
const KEY_TYPES: Readonly<Record<Algorithm, string>> = { RS256: 'rsa', ES256: 'prime256v1', EdDSA: 'ed25519' }

/** Whether the public half verifies what the private half signs. */
function signs(key: PrivateJwk): boolean {
  const signed = Buffer.from(key.kid)
  const digest = key.alg === 'EdDSA' ? null : 'sha256'
  try {
    const secret = createPrivateKey({ key, format: 'jwk' })
    const type = secret.asymmetricKeyDetails?.namedCurve ?? secret.asymmetricKeyType
    const { d: _, ...open } = key
    const published = createPublicKey({ key: open, format: 'jwk' })
    return type === KEY_TYPES[key.alg] && verify(digest, signed, published, sign(digest, signed, secret))
  } catch {
    return false
  }
}

// Secret and signing keys for development, created at the first start in a folder that git ignores, so that sessions and
// tokens are valid after a restart.

export async function developmentSecret(folder: string): Promise<string> {
  return readFile(await keptFile(folder, 'secret', async () => randomBytes(32).toString('base64url')), 'utf8')
}

/** The path of the key set. */
export function developmentKeysFile(folder: string): Promise<string> {
  return keptFile(folder, 'keys.json', async () => keySetText(await newSigningKeys()))
}

/** If two processes start at once, one creates the file and both use it. */
async function keptFile(folder: string, name: string, make: () => Promise<string>): Promise<string> {
  const path = join(folder, name)
  if (await exists(path)) return path
  await createFile(path, await make())
  return path
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
