import { compactVerify, errors } from 'jose'
import type { AssertionHeader } from './assertion-header.ts'
import { fits, keyObject, type PublicKey } from './public-key.ts'

/** Bounds the work that an assertion without a `kid` makes. */
const MAX_TRIED_KEYS = 8

/** Whether one of these keys has signed it. */
export async function isSignedByOneOf(
  keys: readonly PublicKey[],
  jwt: string,
  header: AssertionHeader,
): Promise<boolean> {
  const fitting = keys.filter((key) => fits(header, key))
  for (const key of fitting.slice(0, MAX_TRIED_KEYS)) if (await isSignedBy(key, jwt, header)) return true
  return false
}

async function isSignedBy(key: PublicKey, jwt: string, { alg }: AssertionHeader): Promise<boolean> {
  try {
    await compactVerify(jwt, keyObject(key), { algorithms: [alg] })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError) return false
    throw error
  }
}
