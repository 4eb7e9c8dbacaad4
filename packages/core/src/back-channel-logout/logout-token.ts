/** The logout token (Back-Channel Logout 2.4). */
import type { Kernel } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { newId } from '../kernel/secrets.ts'
import { jose, type PrivateJwk } from '../tokens/jwk.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'

/** Who is signed out where. */
export interface LogoutFacts {
  readonly sub: string
  /** Absent: every session of the user. */
  readonly sid?: string | undefined
}

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Seconds. It is used at once, and a captured one must not be replayed for long (Back-Channel Logout 4). */
const LIFETIME = 120

/** Signs a new token for each attempt. Without `nonce` and with its own type it is no ID token. @throws Error without a key */
export async function logoutToken(
  { issuer, now, random }: Pick<Kernel, 'issuer' | 'now' | 'random'>,
  keys: SigningKeys,
  client: Client,
  facts: LogoutFacts,
): Promise<string> {
  const issuedAt = now()
  const key = signerOf(keys, client, issuedAt)
  const { SignJWT } = await jose()
  return new SignJWT({ events: { [LOGOUT_EVENT]: {} }, sid: facts.sid })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'logout+jwt' })
    .setIssuer(issuer)
    .setSubject(facts.sub)
    .setAudience(client.clientId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFETIME)
    .setJti(newId(random))
    .sign(key)
}

/** The key of the ID tokens of the client (Back-Channel Logout 2.4). A profile may have taken its algorithm away. */
function signerOf(keys: SigningKeys, { idTokenSignedResponseAlg }: Client, now: number): PrivateJwk {
  for (const alg of [idTokenSignedResponseAlg, ...keys.algorithms]) {
    const key = keys.signer(alg, now)
    if (key !== undefined) return key
  }
  throw new Error('backChannelLogout: no key signs logout tokens')
}
