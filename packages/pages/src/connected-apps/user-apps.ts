import type { PublicClient, ScopeCatalogue, UserGrant } from '@grantkit/core'
import { isLoopbackUrl } from '@grantkit/core/feature'
import { displayText, type ScopeInWords, scopeInLanguage, type UserGrants } from '@grantkit/core/internal'
import type { InstallationNames } from './installation-names.ts'

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
  /** As in `PublicClient`: only the name of an `integration` is verified. Absent if it is not registered any more. */
  readonly origin?: PublicClient['origin'] | undefined
  /** The owner of its https redirect URIs: they are verified then, and no others. */
  readonly knownClient?: string | undefined
  /** Where it sent the browser of its user. Show the hosts: the app chose its name itself. */
  readonly redirectUris: readonly string[]
  /** The issuer that allowed it by an assertion (RFC 7523); absent if the user did. */
  readonly allowedBy?: string | undefined
  /** The names of the organizations that it has access for. Absent without any. */
  readonly organizations?: readonly string[] | undefined
  /** Present if it began without a browser: by the device grant, or by a back channel. `network`, if known, sent that request. */
  readonly device?: { readonly network?: string | undefined } | undefined
  /** In the order of the catalogue. */
  readonly scopes: readonly ScopeInWords[]
  readonly firstUsed: number
  readonly lastUsed: number
  /** The longest of its grants ends then. */
  readonly expiresAt: number
  readonly grantIds: readonly string[]
}

/** The connected apps of users. Every method takes the user, so a page can only touch the apps of its own user. */
export interface UserApps {
  /** Apps of a user, the most recently used first. An app with many grants can be on several pages. */
  list(subject: string, page?: UserAppsPageRequest): Promise<UserAppsPage>
  /**
   * Ends all grants of one installation, and forgets its name.
   *
   * @param after the page that lists it
   * @returns the app as it was; `undefined`, and nothing changes, if it is not there, for example disconnected already
   */
  disconnect(subject: string, installation: string, after?: string): Promise<ConnectedApp | undefined>
  /** Ends all grants of all installations of the app that has this installation, as `disconnect` does of one. */
  disconnectAll(subject: string, installation: string, after?: string): Promise<ConnectedApp | undefined>
  /**
   * Sets the name of an installation, on one line and at most 60 characters. An empty name removes it.
   *
   * @param after the page that lists it
   * @returns the app as it is now; `undefined`, and nothing changes, if it is not there
   */
  name(subject: string, installation: string, name: string, after?: string): Promise<ConnectedApp | undefined>
}

export interface UserAppsPageRequest {
  /** `next` of the page before; absent for the first page. */
  readonly after?: string | undefined
  /** Of the scopes' texts. Default: the first of `uiLocales`. */
  readonly locale?: string | undefined
}

export interface UserAppsPage {
  readonly apps: readonly ConnectedApp[]
  /** Leads to the next page, which may be empty; absent on the last one. */
  readonly next?: string | undefined
}

export interface UserAppsOptions {
  /** `grants` of the authorization server. */
  readonly grants: UserGrants
  readonly scopes: ScopeCatalogue
  readonly names: InstallationNames
  /** `Interaction.uiLocales`. Default `['en']`. */
  readonly uiLocales?: readonly string[] | undefined
}

const MAX_NAME_LENGTH = 60
/** Grants per page, when all grants of a client are read. */
const ALL = 200

/**
 * Lists, disconnects and names the apps of users, for a page of your own: `connectedApps()` has a whole one.
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { type InstallationNames, userApps } from '@grantkit/pages/connected-apps'
 *
 * declare const names: InstallationNames
 *
 * const { grants } = createAuthorizationServer({ issuer, store, scopes, secret, interaction })
 * export const apps = userApps({ grants, scopes, names })
 * ```
 */
export function userApps({ grants, scopes, names, uiLocales = ['en'] }: UserAppsOptions): UserApps {
  async function list(
    subject: string,
    { after, locale = uiLocales[0] ?? 'en' }: UserAppsPageRequest = {},
  ): Promise<UserAppsPage> {
    const page = await grants.list(subject, { after })
    const catalogue = Object.entries(scopes).map((scope) => scopeInLanguage(scope, locale, uiLocales))
    const apps = installationsOf(page.grants, catalogue)
    const installations = apps.map(({ installation }) => installation)
    const chosen = await names.of(subject, installations)
    return { apps: apps.map((app) => ({ ...app, called: chosen.get(app.installation) })), next: page.next }
  }

  /** The page with this installation. Newer grants may have moved it to the one after the page with the form. */
  async function pageWith(subject: string, installation: string, after?: string) {
    const { apps, next } = await list(subject, { after })
    if (next === undefined || apps.some((one) => one.installation === installation)) return apps
    return (await list(subject, { after: next })).apps
  }

  /** All installations of an app, from all pages. */
  async function allOf(subject: string, app: string) {
    const found: ConnectedApp[] = []
    let after: string | undefined
    do {
      const page = await list(subject, { after })
      found.push(...page.apps.filter((one) => one.app === app))
      after = page.next
    } while (after !== undefined)
    return found
  }

  async function find(subject: string, installation: string, after?: string) {
    return (await pageWith(subject, installation, after)).find((one) => one.installation === installation)
  }

  /** The ids of its grants, page by page: also those that its page does not list. */
  async function* grantsOf(subject: string, app: ConnectedApp): AsyncGenerator<readonly string[]> {
    const { installation, clientId, grantIds } = app
    if (installation !== clientId) return yield grantIds
    let after: string | undefined
    do {
      const page = await grants.list(subject, { clientId, limit: ALL, after })
      yield page.grants.filter((grant) => installationOf(grant) === installation).map(({ id }) => id)
      after = page.next
    } while (after !== undefined)
  }

  return {
    list,
    async disconnect(subject, installation, after) {
      const app = await find(subject, installation, after)
      if (app === undefined) return undefined
      for await (const ids of grantsOf(subject, app))
        await Promise.all(ids.map((id) => grants.revoke(subject, id)))
      await names.forget(subject, installation)
      return app
    },
    async disconnectAll(subject, installation, after) {
      const found = await find(subject, installation, after)
      if (found === undefined) return undefined
      const ofApp = await allOf(subject, found.app)
      for (const clientId of new Set(ofApp.map((one) => one.clientId)))
        await grants.revokeAll(subject, { clientId, by: 'user' })
      for (const one of ofApp) await names.forget(subject, one.installation)
      return found
    },
    async name(subject, installation, text, after) {
      const app = await find(subject, installation, after)
      if (app === undefined) return undefined
      const called = nameIn(text)
      if (called === undefined) await names.forget(subject, installation)
      else await names.give(subject, installation, called, app.expiresAt)
      return { ...app, called }
    },
  }
}

/** By code points: half of an emoji is no text, and a database refuses it. */
function nameIn(text: string): string | undefined {
  return [...displayText(text)].slice(0, MAX_NAME_LENGTH).join('').trimEnd() || undefined
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
function installationOf({ clientId, id, origin }: UserGrant): string {
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

/** In the order of their first items. */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): [Item, ...Item[]][] {
  // No group is empty.
  return [...Map.groupBy(items, keyOf).values()] as [Item, ...Item[]][]
}

/** @param grants of one installation, the most recently used first */
function oneOf(
  grants: readonly [UserGrant, ...UserGrant[]],
  catalogue: readonly ScopeInWords[],
): Omit<ConnectedApp, 'app'> {
  const [latest] = grants
  const { client, clientId, origin, authority, network } = latest
  const organizations = [
    ...new Set(grants.flatMap(({ terms }) => terms?.organization?.name ?? terms?.organization?.id ?? [])),
  ]
  const allowed = new Set(grants.flatMap(({ scopes }) => scopes))
  return {
    ...{ installation: installationOf(latest), clientId },
    ...{ name: client?.clientName, origin: client?.origin, knownClient: client?.knownClient },
    redirectUris: [...new Set(grants.flatMap(({ redirectUri }) => redirectUri ?? []))],
    ...(authority && { allowedBy: authority.issuer }),
    ...(organizations.length > 0 && { organizations }),
    device: origin === 'device' || origin === 'backchannel' ? { network } : undefined,
    scopes: catalogue.filter(({ name }) => allowed.has(name)),
    firstUsed: Math.min(...grants.map(({ createdAt }) => createdAt)),
    lastUsed: latest.usedAt,
    expiresAt: Math.max(...grants.map(({ expiresAt }) => expiresAt)),
    grantIds: grants.map(({ id }) => id),
  }
}
