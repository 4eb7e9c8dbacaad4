import type { Grant } from '../kernel/records.ts'
import { type GrantSecret, grantSecretOf } from './credential.ts'

/**
 * The format of access tokens. Every format leads to a grant and the hash of a secret stored in it, so a token of any
 * format can be revoked.
 */
export interface AccessTokenFormat {
  /** The token as the client gets it. `grant` already stores the hash of its secret. */
  write(token: GrantSecret, grant: Grant): string | Promise<string>
  /** The parts of a presented token, or `undefined` for another format. The grant decides whether they are genuine. */
  read(text: string): GrantSecret | undefined
}

const OPAQUE = /^gka_([\w-]{22})\.([\w-]{43})$/

/** `gka_<grant id>.<secret>`: only this server can read it. */
export const opaqueAccessTokens = {
  write: ({ grantId, secret }: GrantSecret): string => `gka_${grantId}.${secret}`,
  read: (text: string): GrantSecret | undefined => grantSecretOf(OPAQUE.exec(text)),
} satisfies AccessTokenFormat
