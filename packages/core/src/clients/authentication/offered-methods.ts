import type { ClientAuthMethod } from './client-authentication.ts'
import { clientSecretBasic } from './client-secret-basic.ts'
import { clientSecretPost } from './client-secret-post.ts'
import { none } from './none.ts'

const METHODS = {
  none,
  client_secret_post: clientSecretPost,
  client_secret_basic: clientSecretBasic,
} as const

export interface ClientAuthenticationOptions {
  /**
   * The ways in which clients may authenticate; features may add others. A client with a secret may send it in any way
   * that is offered. Default all three: who issues secrets must take them by Basic (RFC 6749 2.3.1).
   */
  readonly clientAuthentication?: readonly (keyof typeof METHODS)[] | undefined
}

/** The methods that the options name. @throws Error that names an unknown one */
export function offeredMethods({ clientAuthentication }: ClientAuthenticationOptions): {
  clientAuthMethods: ClientAuthMethod[]
} {
  const known = Object.keys(METHODS)
  const unknown = clientAuthentication?.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new Error(`clientAuthentication: ${unknown} must be one of ${known.join(', ')}`)
  const all = Object.values(METHODS)
  return {
    clientAuthMethods: all.filter(({ name }) => clientAuthentication?.some((one) => one === name) ?? true),
  }
}
