import { isIP } from 'node:net'
import { isLoopbackUrl } from '@grantkit/core/feature'

/** The relying party, from the configuration and never from a request (WebAuthn 5.1.2). */
export interface RelyingParty {
  /** The host of the base URL. A passkey is bound to this host. */
  readonly id: string
  readonly origin: string
}

/** `undefined` where browsers support no passkeys: at an IP address, and on plain http except `localhost`. */
export function relyingParty(baseUrl: string): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(baseUrl)
  const isAddress = isIP(hostname) > 0 || hostname.startsWith('[')
  return isAddress || (protocol !== 'https:' && !isLoopbackUrl(baseUrl))
    ? undefined
    : { id: hostname, origin }
}
