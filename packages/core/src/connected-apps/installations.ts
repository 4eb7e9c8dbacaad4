import type { UserGrant } from '../grants/user-grants.ts'
import { isLoopbackUrl } from '../http/public-url.ts'
import type { Client } from '../kernel/records.ts'
import type { ScopeInWords } from '../kernel/scope.ts'

/** One installation of an app, with all its grants. Times are epoch seconds. */
export interface ConnectedApp {
  /** Names the installation in the forms: the id of its client, or of its only grant. */
  readonly installation: string
  /** The same for all installations of one app on a page. */
  readonly app: string
  readonly clientId: string
  /** The name that it registered; absent if it has none, or is not registered any more. */
  readonly name?: string | undefined
  /** The name that its user gave it. */
  readonly called?: string | undefined
  /** As in `Client`: only the name of an `integration` is verified. Absent if it is not registered any more. */
  readonly origin?: Client['origin'] | undefined
  /** To whom its https redirect URIs belong: they are verified then, and no others. */
  readonly knownClient?: string | undefined
  /** Where it sent the browser of its user. Show the hosts: the app chose its name itself. */
  readonly redirectUris: readonly string[]
  /** The issuer that allowed it by an assertion (RFC 7523); absent if the user did. */
  readonly allowedBy?: string | undefined
  /** Present if it uses the device grant. `network`, if known, sent the device authorization request. */
  readonly device?: { readonly network?: string | undefined } | undefined
  /** In the order of the catalogue. */
  readonly scopes: readonly ScopeInWords[]
  readonly firstUsed: number
  readonly lastUsed: number
  /** The longest of its grants ends then. */
  readonly expiresAt: number
  readonly grantIds: readonly string[]
}

/**
 * The grants of one user by installation, the most recently used first. A personal access token is no app, and has a list of its own.
 *
 * @param catalogue in the language of the page
 */
export function installationsOf(
  grants: readonly UserGrant[],
  catalogue: readonly ScopeInWords[],
): ConnectedApp[] {
  const ofApps = grants.filter(({ origin }) => origin !== 'personal')
  const byUse = ofApps.sort((one, other) => other.usedAt - one.usedAt)
  return withApp(grouped(byUse, installationOf).map((ofInstallation) => oneOf(ofInstallation, catalogue)))
}

/**
 * A registered client is one installation. A client ID metadata document is shared by all installations, and a client
 * of the device grant by all devices, so each grant counts as one.
 */
export function installationOf({ clientId, id, origin }: UserGrant): string {
  // Each assertion opens a grant of its own, for some minutes.
  if (origin === 'assertion') return clientId
  return origin === 'device' || clientId.startsWith('https://') ? id : clientId
}

/**
 * A client is one app. Clients that registered themselves are one app too if they chose the same name and send their
 * users to the same hosts: each installation of such a program registers a client of its own.
 */
function withApp(installations: readonly Omit<ConnectedApp, 'app'>[]): ConnectedApp[] {
  const apps = new Map(
    grouped(installations, ({ clientId }) => clientId).map((ofClient) => [
      ofClient[0].clientId,
      appOf(ofClient),
    ]),
  )
  return installations.map((one) => ({ ...one, app: apps.get(one.clientId) ?? one.clientId }))
}

function appOf(ofClient: readonly [Omit<ConnectedApp, 'app'>, ...Omit<ConnectedApp, 'app'>[]]): string {
  const [{ origin, name, clientId }] = ofClient
  if (origin !== 'registered' || name === undefined) return clientId
  const uris = ofClient.flatMap(({ redirectUris }) => redirectUris).filter((uri) => !isLoopbackUrl(uri))
  return JSON.stringify([name, [...new Set(uris.map(placeOf))].sort()])
}

/** The scheme and host. Loopback addresses differ by their port alone, so they count as none. */
function placeOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  return `${protocol}//${host}`
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): [Item, ...Item[]][] {
  const groups = new Map<string, [Item, ...Item[]]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return [...groups.values()]
}

/** @param grants of one installation, the most recently used first */
function oneOf(
  grants: readonly [UserGrant, ...UserGrant[]],
  catalogue: readonly ScopeInWords[],
): Omit<ConnectedApp, 'app'> {
  const [latest] = grants
  const { client, clientId, origin, authority, network } = latest
  const allowed = new Set(grants.flatMap(({ scopes }) => scopes))
  return {
    ...{ installation: installationOf(latest), clientId },
    ...{ name: client?.clientName, origin: client?.origin, knownClient: client?.knownClient },
    redirectUris: [...new Set(grants.flatMap(({ redirectUri }) => redirectUri ?? []))],
    ...(authority && { allowedBy: authority.issuer }),
    device: origin === 'device' ? { network } : undefined,
    scopes: catalogue.filter(({ name }) => allowed.has(name)),
    firstUsed: Math.min(...grants.map(({ createdAt }) => createdAt)),
    lastUsed: latest.usedAt,
    expiresAt: Math.max(...grants.map(({ expiresAt }) => expiresAt)),
    grantIds: grants.map(({ id }) => id),
  }
}
