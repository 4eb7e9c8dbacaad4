import { isIP } from 'node:net'
import { type PublicUrlRule, systemTime, type Time } from '@grantkit/core/internal'
import type { Route } from './exchange.ts'

export interface SafeFetchOptions {
  /** The issuer of your server. Hosts read it in the `User-Agent`, and URLs of its own host are refused. */
  readonly issuer: string
  /** The ports that are allowed. Default: 443 alone. */
  readonly ports?: readonly number[]
  /** Milliseconds for one fetch, from the look-up of the name to the last byte. Default: 5000. */
  readonly deadline?: number
  /** Allows private addresses for tests on one machine. Never set it in production. */
  readonly unsafeForTests?: UnsafeForTests
  /** Waits, for tests. Default: the timers of the runtime. */
  readonly time?: Time
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
  readonly hosts: ReadonlyMap<string, Route>
  readonly time: Time
}

/** A host that starts a function for the request needs some seconds, and a person waits. */
const DEFAULT_DEADLINE = 5000

/** The options with their defaults, checked. */
export function settingsOf({
  issuer,
  ports = [443],
  deadline = DEFAULT_DEADLINE,
  unsafeForTests = {},
  time = systemTime,
}: SafeFetchOptions): Settings {
  if (!URL.canParse(issuer)) throw new Error(`issuer: must be a URL, not ${issuer}`)
  if (!(deadline > 0 && deadline < 2 ** 31))
    throw new Error(`deadline: must be positive milliseconds, not ${deadline}`)
  const wrong = ports.find((port) => !isPort(port))
  if (wrong !== undefined) throw new Error(`ports: ${wrong} is no port`)
  const hosts = Object.entries(unsafeForTests.hosts ?? {}).map(
    ([name, place]) => [name, localRoute(place)] as const,
  )
  return {
    issuer,
    ports,
    deadline,
    userAgent: `Grantkit (+${issuer})`,
    ca: unsafeForTests.ca,
    hosts: new Map(hosts),
    time,
  }
}

function localRoute(place: string): Route {
  const { address = '', port } = /^\[?(?<address>.*?)\]?:(?<port>\d+)$/.exec(place)?.groups ?? {}
  if (isIP(address) === 0 || !isPort(Number(port)))
    throw new Error(`unsafeForTests.hosts: must be an address and a port, not ${place}`)
  return { addresses: [address], port: Number(port), mayBeLocal: true }
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65536
}
