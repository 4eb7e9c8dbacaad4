import type { UserGrants } from '../grants/user-grants.ts'
import { displayText } from '../kernel/display-text.ts'
import { type ScopeCatalogue, scopeInLanguage } from '../kernel/scope.ts'
import type { InstallationNames } from './installation-names.ts'
import { type ConnectedApp, installationOf, installationsOf } from './installations.ts'

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
 * import { type InstallationNames, userApps } from '@grantkit/core/connected-apps'
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
