import { isIP } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import { isLoopbackUrl } from '@grantkit/core/feature'
import * as z from 'zod'
import { choice, field, listed, portNumber, text } from './fields.ts'

/** Where the server listens, and how clients reach it. */

const BASE_URL_FORM = /^https?:\/\/[^/?#\s]+(\/[^/?#\s]+)*$/

const PROXIES_EXPECTED = 'must be a number of proxies, or their addresses or networks separated by commas'
const TrustedProxies = z
  .union([z.number(), z.array(z.string())], { error: PROXIES_EXPECTED })
  .refine(isTrustable, { error: PROXIES_EXPECTED })

const MODES = ['development', 'test', 'production'] as const

export const addressFields = {
  mode: field(
    choice(MODES).optional(),
    '`production` has no development defaults: `database`, `secret`, `keysFile` and an https `baseUrl` are required. `development` counts at a loopback address only; `test` is for tests of a server at a public name',
    { variable: 'NODE_ENV', otherwise: '`development` at a loopback `baseUrl`, else `production`' },
  ),
  baseUrl: field(
    text()
      .refine((url) => !/^https?:/i.test(url) || /^https?:/.test(url), {
        error: 'must begin with http:// or https:// in lower case',
        abort: true,
      })
      .regex(BASE_URL_FORM, 'must be an http or https URL without a trailing slash, query or fragment')
      .optional(),
    'the public URL; the issuer, byte for byte. Never taken from a request',
    { variable: 'BASE_URL', otherwise: '`http://127.0.0.1:PORT`' },
  ),
  host: field(text().default('127.0.0.1'), 'the address to listen on', { variable: 'HOST' }),
  port: field(portNumber().default(3000), 'the port to listen on', { variable: 'PORT' }),
  trustProxy: field(
    TrustedProxies.optional(),
    'the proxies whose `X-Forwarded-For` is trusted: their number, or a list of addresses, networks, `loopback`, `linklocal`, `uniquelocal`',
    { variable: 'TRUST_PROXY', read: proxiesOf },
  ),
}

/** A forgotten variable must not open the demonstration of a development to the public. */
export function modeOf(config: {
  readonly mode?: (typeof MODES)[number] | undefined
  readonly baseUrl?: string | undefined
}): (typeof MODES)[number] {
  const { mode = 'development', baseUrl } = config
  const isPublic = baseUrl !== undefined && !isLoopbackUrl(baseUrl)
  return isPublic && mode === 'development' ? 'production' : mode
}

/** proxy-addr would parse a plain number as an address. */
function proxiesOf(variable: string): number | string[] {
  const proxies = Number(variable)
  return Number.isNaN(proxies) ? listed(variable) : proxies
}

function isTrustable(proxies: number | string[]): boolean {
  try {
    trustedProxies(proxies)
    return true
  } catch {
    return false
  }
}

/** Whether an address, this many hops away, is a trusted proxy. */
export type IsTrustedProxy = (address: string, hops: number) => boolean

/**
 * A number of hops, or addresses, networks and the names `loopback`, `linklocal` and `uniquelocal`. There is no "trust
 * all", because a trusted proxy chooses the address that rate limits count. @throws Error
 */
export function trustedProxies(proxies: number | readonly string[]): IsTrustedProxy {
  if (typeof proxies !== 'number') return proxyAddr.compile([...proxies])
  if (!Number.isInteger(proxies) || proxies < 1) throw new Error('The number of proxies must be positive')
  return (_address, hops) => hops < proxies
}

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
