import { halvesOf, type Secret, sha512 } from '../kernel/secrets.ts'
import { acceptedSecrets, keyedHash, type ServerSecret } from '../kernel/server-secret.ts'

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
  return {
    keyId: first.id,
    derive: (text) => halvesOf(first.hash(text)),
    deriveAgain(text, keyId) {
      if (keyId === undefined) return halvesOf(sha512(text))
      const found = keys.find(({ id }) => id === keyId)
      return found && halvesOf(found.hash(text))
    },
  }
}

interface Identified {
  readonly id: string
  readonly hash: (text: string) => string
}

function keyOf(secret: string): Identified {
  const hash = keyedHash('successors of tokens', secret)
  // No secret with its salt is as short as this text.
  return { id: hash('id').slice(0, 8), hash }
}
