import type { AuthorizationServer } from '@grantkit/core'
import { displayText } from '@grantkit/core/feature'
import type { Context } from 'hono'
import { formOf, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import type { InstallationNames } from '../oauth/installation-names.ts'
import type { Visit } from '../sign-in/session.ts'
import { type AccountVisits, PAGE_EXPIRED } from './account-visits.ts'
import type { ShowAgain } from './change-sign-in.ts'
import { type ConnectedApp, connectedApps } from './connected-apps.ts'
import { addressOf } from './pagination.ts'

/** Handlers of the forms of "Connected apps". */
export interface ManageApps {
  /** Revokes the grants of one installation. */
  disconnect(c: Context<WithBody>): Promise<Response>
  /** Renames an installation. An empty field removes the name. */
  nameApp(c: Context<WithBody>): Promise<Response>
}

interface Parts extends Kept {
  readonly path: string
  /** Signs the notice about a disconnected app. */
  readonly sealNotice: (visit: Visit, disconnected: string) => string
}

interface Kept {
  readonly grants: AuthorizationServer['grants']
  readonly names: InstallationNames
}

const MAX_NAME_LENGTH = 60

export function manageApps(parts: Parts, visits: AccountVisits, showAgain: ShowAgain): ManageApps {
  const { path, grants, names, sealNotice } = parts

  /** @param work returns the result for the page */
  const manage =
    (work: (app: ConnectedApp, visit: Visit, name: string) => Promise<Record<string, string>>) =>
    async (c: Context<WithBody>) => {
      const visit = await visits.of(c)
      if (visit === undefined) return visits.signIn(c)
      const { token, installation, name = '' } = formOf(c)
      if (!visits.isOwnForm(c, visit, token)) return showAgain(c, visit, PAGE_EXPIRED)
      const after = c.req.query('after')
      const app = await appNear(parts, visit.session.subject, installation ?? '', after)
      // Already disconnected, for example by a double click: this is a success.
      const known = app === undefined ? {} : await work(app, visit, name)
      return seeOther(c, addressOf(path, { after, ...known }))
    }

  return {
    disconnect: manage(async (app, visit) => {
      const { subject } = visit.session
      await Promise.all(app.grantIds.map((grantId) => grants.revoke(subject, grantId)))
      if (app.clientId !== undefined) await grants.revokeAll(subject, { clientId: app.clientId, by: 'user' })
      await names.forget(subject, app.installation)
      return { notice: sealNotice(visit, app.called ?? app.name) }
    }),
    nameApp: manage(async ({ installation }, { session: { subject } }, given) => {
      // Postgres accepts no NUL.
      const name = displayText(given).slice(0, MAX_NAME_LENGTH)
      await (name === '' ? names.forget(subject, installation) : names.give(subject, installation, name))
      return {}
    }),
  }
}

/** One page of the apps of a user, with the names that the user gave them. */
export async function appsOf({ grants, names }: Kept, subject: string, after?: string): Promise<AppsPage> {
  const page = await grants.list(subject, { after })
  const apps = connectedApps(page.grants)
  const installations = apps.map(({ installation }) => installation)
  const given = await names.of(subject, installations)
  return {
    apps: apps.map((app) => ({ ...app, called: given.get(app.installation) })),
    after,
    next: page.next,
  }
}

export interface AppsPage {
  readonly apps: readonly ConnectedApp[]
  /** The cursors of this page and of the next one. */
  readonly after?: string | undefined
  readonly next?: string | undefined
}

/** An app of the page with the form. Newer grants may have moved it to the next page. */
async function appNear(parts: Kept, subject: string, installation: string, after?: string) {
  const isIt = (app: ConnectedApp) => app.installation === installation
  const { apps, next } = await appsOf(parts, subject, after)
  const found = apps.find(isIt)
  if (found !== undefined || next === undefined) return found
  return (await appsOf(parts, subject, next)).apps.find(isIt)
}
