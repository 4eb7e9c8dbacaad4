import type { Grant } from '../kernel/records.ts'
import { type GrantSecret, grantSecretOf } from './credential.ts'

/**
 * What an access token looks like to those who carry it. Every format leads to the same place: a grant, and the hash
 * of a secret that is kept in it, so a token of any format can be revoked.
 */
export interface AccessTokenFormat {
  /** The token as the client gets it. `grant` already holds its state, under the hash of the secret. */
  write(token: GrantSecret, grant: Grant): string | Promise<string>
  /** What a presented text claims, or `undefined` when it has another format. Whether it is true is in the grant. */
  read(text: string): GrantSecret | undefined
}

const OPAQUE = /^gka_([\w-]{22})\.([\w-]{43})$/

/** `gka_<grant id>.<secret>`: it says nothing to anybody but this server. */
export const opaqueAccessTokens = {
  write: ({ grantId, secret }: GrantSecret): string => `gka_${grantId}.${secret}`,
  read: (text: string): GrantSecret | undefined => grantSecretOf(OPAQUE.exec(text)),
} satisfies AccessTokenFormat
