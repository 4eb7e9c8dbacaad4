import type { UserGrant } from '../grants/user-grants.ts'
import type { Client } from '../kernel/records.ts'
import type { ScopeInWords } from '../kernel/scope.ts'

/** One installation of an app, with all its grants. Times are epoch seconds. */
export interface ConnectedApp {
  /** Names the installation in the forms: the id of its client, or of its only grant. */
  readonly installation: string
  readonly clientId: string
  /** The name that it registered; absent if it has none, or is not registered any more. */
  readonly name?: string | undefined
  /** The name that its user gave it. */
  readonly called?: string | undefined
  /** As in `Client`: only the name of an `integration` is verified. Absent if it is not registered any more. */
  readonly origin?: Client['origin'] | undefined
  /** Where it sent the browser of its user. Show the hosts: the app chose its name itself. */
  readonly redirectUris: readonly string[]
  /** Present if it uses the device grant. The network is that of the device authorization request, if known. */
  readonly device?: { readonly network?: string | undefined } | undefined
  /** In the order of the catalogue. */
  readonly scopes: readonly ScopeInWords[]
  readonly firstUsed: number
  readonly lastUsed: number
  /** The longest of its grants ends then. */
  readonly expiresAt: number
  readonly grantIds: readonly string[]
}

/** The grants of one user by installation, the most recently used first. @param catalogue in the language of the page */
export function installationsOf(
  grants: readonly UserGrant[],
  catalogue: readonly ScopeInWords[],
): ConnectedApp[] {
  const byUse = [...grants].sort((one, other) => other.usedAt - one.usedAt)
  const groups = new Map<string, [UserGrant, ...UserGrant[]]>()
  for (const grant of byUse) {
    const ofApp = groups.get(installationOf(grant))
    if (ofApp === undefined) groups.set(installationOf(grant), [grant])
    else ofApp.push(grant)
  }
  return [...groups.values()].map((ofApp) => connectedApp(ofApp, catalogue))
}

/**
 * A registered client is one installation. A client ID metadata document is shared by all installations, and a client
 * of the device grant by all devices, so each grant counts as one.
 */
export function installationOf({ clientId, id, origin }: UserGrant): string {
  return origin === 'device' || clientId.startsWith('https://') ? id : clientId
}

/** @param grants of one installation, the most recently used first */
function connectedApp(
  grants: readonly [UserGrant, ...UserGrant[]],
  catalogue: readonly ScopeInWords[],
): ConnectedApp {
  const [latest] = grants
  const { client, clientId, origin, network } = latest
  const allowed = new Set(grants.flatMap(({ scopes }) => scopes))
  return {
    ...{ installation: installationOf(latest), clientId },
    ...{ name: client?.clientName, origin: client?.origin },
    redirectUris: [...new Set(grants.flatMap(({ redirectUri }) => redirectUri ?? []))],
    device: origin === 'device' ? { network } : undefined,
    scopes: catalogue.filter(({ name }) => allowed.has(name)),
    firstUsed: Math.min(...grants.map(({ createdAt }) => createdAt)),
    lastUsed: latest.usedAt,
    expiresAt: Math.max(...grants.map(({ expiresAt }) => expiresAt)),
    grantIds: grants.map(({ id }) => id),
  }
}
