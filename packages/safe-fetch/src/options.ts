import { isIP } from 'node:net'
import type { Endpoint } from './connect.ts'
import { type PublicUrlRule, portOf } from './public-url.ts'
import { publicAddressesOf } from './resolve.ts'

export interface SafeFetchOptions {
  /** The issuer of your server. Hosts read it in the `User-Agent`, and addresses of its own host are refused. */
  readonly issuer: string
  /** The ports that may be asked. Default: 443 alone. */
  readonly ports?: readonly number[]
  /** Milliseconds for one fetch, from the look-up of the name to the last byte. Default: 3000. */
  readonly deadline?: number
  /** Opens the way inward for tests on one machine. Never set it in production. */
  readonly unsafeForTests?: UnsafeForTests
}

export interface UnsafeForTests {
  /** The certificate authority that is trusted instead of the public ones, as PEM. */
  readonly ca?: string
  /**
   * Names that are not looked up, each with the address and port to connect to instead, which may be local:
   * `{ 'app.dev': '127.0.0.1:8443' }`.
   */
  readonly hosts?: Readonly<Record<string, string>>
}

export interface Settings extends PublicUrlRule {
  readonly deadline: number
  readonly userAgent: string
  readonly ca: string | undefined
  readonly hosts: ReadonlyMap<string, Endpoint>
}

const DEFAULT_DEADLINE = 3000

/** The options with their defaults, checked. */
export function settingsOf({
  issuer,
  ports = [443],
  deadline = DEFAULT_DEADLINE,
  unsafeForTests = {},
}: SafeFetchOptions): Settings {
  if (!URL.canParse(issuer)) throw new Error(`issuer: must be a URL, not ${issuer}`)
  if (!(deadline > 0 && deadline < 2 ** 31))
    throw new Error(`deadline: must be positive milliseconds, not ${deadline}`)
  const wrong = ports.find((port) => !isPort(port))
  if (wrong !== undefined) throw new Error(`ports: ${wrong} is no port`)
  const hosts = Object.entries(unsafeForTests.hosts ?? {}).map(
    ([name, place]) => [name, localEndpoint(place)] as const,
  )
  return {
    issuer,
    ports,
    deadline,
    userAgent: `Grantkit (+${issuer})`,
    ca: unsafeForTests.ca,
    hosts: new Map(hosts),
  }
}

/** Where to connect for an address: one of the public addresses of its name, looked up once. */
export async function endpointsOf(url: URL, { hosts }: Settings, signal: AbortSignal): Promise<Endpoint[]> {
  const local = hosts.get(url.hostname)
  if (local !== undefined) return [local]
  const addresses = await publicAddressesOf(url.hostname, signal)
  return addresses.map((address) => ({ address, port: portOf(url) }))
}

function localEndpoint(place: string): Endpoint {
  const { address = '', port } = /^\[?(?<address>.*?)\]?:(?<port>\d+)$/.exec(place)?.groups ?? {}
  if (isIP(address) === 0 || !isPort(Number(port)))
    throw new Error(`unsafeForTests.hosts: must be an address and a port, not ${place}`)
  return { address, port: Number(port), mayBeLocal: true }
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65536
}
