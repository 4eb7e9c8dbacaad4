import { readFile } from 'node:fs/promises'
import { newSigningKeys, PrivateJwk, rotateSigningKeys } from '@grantkit/core'
import { z } from 'zod'
import { replaceFile } from './private-file.ts'

/** A JSON Web Key set of private keys in a file that only its owner may read. */

const KeySet = z.object({ keys: z.array(PrivateJwk).min(1) })
const READ_AGAIN_MS = 5000

/** The operator renewed the keys. The ids of those that came and of those that went. */
export interface SigningKeysRotated {
  readonly type: 'signing_keys_rotated'
  readonly added: readonly string[]
  readonly retired: readonly string[]
}

/** @throws Error that says what is wrong with the file */
export async function readSigningKeys(path: string): Promise<PrivateJwk[]> {
  return parseKeySet(path, await readFile(path, 'utf8'))
}

/**
 * The current keys of a file, which is reloaded every few seconds for the life of the process. If the file becomes
 * unusable, the old keys stay.
 *
 * @param onError called once for each fault
 * @throws Error when the file is unusable now
 */
export async function followSigningKeys(
  path: string,
  onError: (error: unknown) => void,
  readAgainMs: number = READ_AGAIN_MS,
): Promise<() => readonly PrivateJwk[]> {
  let text = await readFile(path, 'utf8')
  let keys = parseKeySet(path, text)
  let fault = ''

  async function readAgain(): Promise<void> {
    try {
      const latest = await readFile(path, 'utf8')
      if (latest !== text) keys = parseKeySet(path, latest)
      text = latest
      fault = ''
    } catch (cause) {
      if (fault !== String(cause)) onError(new Error('The earlier signing keys stay in use', { cause }))
      fault = String(cause)
    }
  }
  /** Reads one after another: a slow read that ends after the next one would report an old fault again. */
  function readAgainLater(): void {
    setTimeout(() => void readAgain().finally(readAgainLater), readAgainMs).unref()
  }
  readAgainLater()
  return () => keys
}

/** The keys that the FAPI 2.0 Security Profile allows (5.4.1, item 1): the same array until they change. */
export function withoutRs256(source: () => readonly PrivateJwk[]): () => readonly PrivateJwk[] {
  let given: readonly PrivateJwk[] = []
  let allowed: readonly PrivateJwk[] = []
  return () => {
    const latest = source()
    if (latest !== given) allowed = latest.filter(({ alg }) => alg !== 'RS256')
    given = latest
    return allowed
  }
}

/** Adds a new key for each algorithm in the file, and removes keys that no valid ID token needs. */
export async function rotateKeysFile(path: string, now: number, lifetime: number): Promise<PrivateJwk[]> {
  const keys = await readSigningKeys(path)
  const fresh = await newSigningKeys([...new Set(keys.map(({ alg }) => alg))])
  const rotated = rotateSigningKeys(keys, fresh, now, lifetime)
  await replaceFile(path, keySetText(rotated))
  return rotated
}

/** The text of a file with these keys. */
export function keySetText(keys: readonly PrivateJwk[]): string {
  return `${JSON.stringify({ keys }, null, 2)}\n`
}

function parseKeySet(path: string, text: string): PrivateJwk[] {
  const parsed = KeySet.safeParse(parseJson(path, text))
  if (!parsed.success)
    throw new Error(`${path} is not a set of private signing keys: ${z.prettifyError(parsed.error)}`)
  return parsed.data.keys
}

/** Hides the parser's message: it quotes the text, which is secret. */
function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${path} is not JSON`)
  }
}
