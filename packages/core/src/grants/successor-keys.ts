import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { halvesOf, hmacSha256, type Secret, sha512 } from '../kernel/secrets.ts'
import { acceptedSecrets, keyFor, type ServerSecret } from '../kernel/server-secret.ts'

/** The keys that tokens are derived with which may have to be given out again (docs/adr/0002). No store has them. */
export interface SuccessorKeys {
  /** The id of the key of `derive`. */
  readonly keyId: string
  /** Two new secrets of fixed length. Nobody can derive them without the text and the key. */
  derive(text: string): readonly [Secret, Secret]
  /**
   * The same secrets again.
   *
   * @param keyId of the record; absent in records of releases that derived without a key
   * @returns `undefined` if the secret of that key is no longer accepted
   */
  deriveAgain(text: string, keyId: string | undefined): readonly [Secret, Secret] | undefined
}

export function successorKeys(secret: ServerSecret): SuccessorKeys {
  const keys = acceptedSecrets(secret).map(keyOf)
  const [first] = keys as [Identified]
  const derive = (text: string, { key } = first) =>
    halvesOf(createHmac('sha512', key).update(text).digest('base64url'))
  return {
    keyId: first.id,
    derive: (text) => derive(text),
    deriveAgain(text, keyId) {
      if (keyId === undefined) return halvesOf(sha512(text))
      const found = keys.find(({ id }) => id === keyId)
      return found && derive(text, found)
    },
  }
}

interface Identified {
  readonly id: string
  readonly key: KeyObject
}

function keyOf(secret: string): Identified {
  const bytes = keyFor('successors of tokens', secret, 64)
  return { id: hmacSha256(bytes.toString('base64url'), 'id').slice(0, 8), key: createSecretKey(bytes) }
}
