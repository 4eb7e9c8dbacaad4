import type { Kernel } from '../../kernel/kernel.ts'
import type { ClientAuthMethod } from './client-authentication.ts'
import { secretVerifier, type VerifySecret } from './client-secret.ts'

/** A public client only names itself (RFC 6749 2.1). Its security rests on PKCE and its redirect URIs. */
export const none: ClientAuthMethod = {
  name: 'none',
  selfRegistered: true,
  ofDocument: () => ({}),
  read: (_request, { client_id }) => ({ clientId: client_id, verify: () => true }),
}

/** The secret in the form (RFC 6749 2.3.1). */
export function clientSecretPost(verify: VerifySecret): ClientAuthMethod {
  return {
    name: 'client_secret_post',
    carrier: 'client_secret',
    usesSecret: true,
    selfRegistered: true,
    read(_request, { client_id, client_secret }) {
      if (client_secret === undefined) return undefined
      return { clientId: client_id, verify: (client) => verify(client_secret, client) }
    },
  }
}

/** The methods of core. Basic brings the same secret in the header, which `basic-credentials.ts` has read already. */
function methodsOf(verify: VerifySecret) {
  const post = clientSecretPost(verify)
  return {
    none,
    client_secret_post: post,
    client_secret_basic: { ...post, name: 'client_secret_basic', carrier: 'authorization' },
  } as const satisfies Record<string, ClientAuthMethod>
}
type StandardMethod = keyof ReturnType<typeof methodsOf>

export interface ClientAuthenticationOptions {
  /**
   * The authentication methods of clients; features may add others. A client with a secret may send it by any method in this
   * list. Default: all three, because a server that issues secrets must accept them by Basic (RFC 6749 2.3.1).
   */
  readonly clientAuthentication?: readonly StandardMethod[] | undefined
}

/** The methods that the options name. @throws Error that names an unknown one */
export function standardMethods(
  kernel: Pick<Kernel, 'now' | 'emit' | 'store'>,
  { clientAuthentication }: ClientAuthenticationOptions,
): { clientAuthMethods: ClientAuthMethod[] } {
  const methods = methodsOf(secretVerifier(kernel))
  const known = Object.keys(methods)
  const unknown = clientAuthentication?.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new Error(`clientAuthentication: ${unknown} must be one of ${known.join(', ')}`)
  const all = Object.values(methods)
  return {
    clientAuthMethods: all.filter(({ name }) => clientAuthentication?.some((one) => one === name) ?? true),
  }
}
