import { createLocalJWKSet, jwtVerify } from 'jose'
import type { SigningKeys } from '../tokens/signing-keys.ts'

/**
 * The subject of an `id_token_hint`, or `undefined` when this server did not sign it. An expired one is accepted too:
 * it still names the user (OpenID Connect Core 3.1.2.1).
 */
export async function subjectOfHint(
  keys: SigningKeys,
  issuer: string,
  hint: string,
): Promise<string | undefined> {
  const keySet = createLocalJWKSet({ keys: [...keys.published().keys] })
  try {
    const { payload } = await jwtVerify(hint, keySet, {
      issuer,
      currentDate: new Date(0),
      algorithms: [...keys.algorithms],
    })
    return payload.sub
  } catch {
    return undefined
  }
}
