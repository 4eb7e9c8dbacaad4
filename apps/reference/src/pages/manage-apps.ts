import { type AuthorizationServer, displayText } from '@grantkit/core'
import type { Context } from 'hono'
import { formOf, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import type { InstallationNames } from '../oauth/installation-names.ts'
import { type AccountVisits, PAGE_EXPIRED, type Visit } from './account-visits.ts'
import type { ShowAgain } from './change-sign-in.ts'
import { type ConnectedApp, connectedApps } from './connected-apps.ts'
import { pageAddress, pageNumber } from './pagination.ts'

/** What the forms of "Connected apps" do. */
export interface ManageApps {
  /** Ends the access of one installation for its user. */
  disconnect(c: Context<WithBody>): Promise<Response>
  /** Gives an installation the name that its user wants; none, if the field is empty. */
  nameApp(c: Context<WithBody>): Promise<Response>
}

interface Parts extends Kept {
  readonly path: string
  /** Seals what the page says of an app that was disconnected. */
  readonly sealNotice: (visit: Visit, disconnected: string) => string
}

interface Kept {
  readonly grants: AuthorizationServer['grants']
  readonly names: InstallationNames
}

const LONGEST_NAME = 60

export function manageApps(parts: Parts, visits: AccountVisits, showAgain: ShowAgain): ManageApps {
  const { path, grants, names, sealNotice } = parts

  /** @param work returns what the page needs to know of it */
  const manage =
    (work: (app: ConnectedApp, visit: Visit, name: string) => Promise<Record<string, string>>) =>
    async (c: Context<WithBody>) => {
      const visit = await visits.of(c)
      if (visit === undefined) return visits.signIn(c)
      const { token, installation, name = '' } = formOf(c)
      if (!visits.isOwnForm(c, visit, token)) return showAgain(c, visit, PAGE_EXPIRED)
      const apps = await appsOf(parts, visit.session.subject)
      const app = apps.find((each) => each.installation === installation)
      // Disconnected already, for example by a double click: that is what the user wants.
      const known = app === undefined ? {} : await work(app, visit, name)
      return seeOther(c, pageAddress(path, pageNumber(c.req.query('page')), known))
    }

  return {
    disconnect: manage(async (app, visit) => {
      await revokeAll(app, (grantId) => grants.revoke(visit.session.subject, grantId))
      return { notice: sealNotice(visit, app.called ?? app.name) }
    }),
    nameApp: manage(async ({ installation }, { session: { subject } }, given) => {
      // Postgres takes no NUL.
      const name = displayText(given.slice(0, LONGEST_NAME))
      await (name === '' ? names.forget(subject, [installation]) : names.give(subject, installation, name))
      return {}
    }),
  }
}

/** The apps of a user, with the names that they gave them. Names of installations that are gone are forgotten. */
export async function appsOf({ grants, names }: Kept, subject: string): Promise<ConnectedApp[]> {
  const [listed, given] = await Promise.all([grants.list(subject), names.of(subject)])
  const apps = connectedApps(listed)
  const there = new Set(apps.map(({ installation }) => installation))
  await names.forget(
    subject,
    [...given.keys()].filter((installation) => !there.has(installation)),
  )
  return apps.map((app) => ({ ...app, called: given.get(app.installation) }))
}

/** A hundred at a time: an app may have thousands of grants. */
async function revokeAll(
  { grantIds }: ConnectedApp,
  revoke: (id: string) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < grantIds.length; start += 100)
    await Promise.all(grantIds.slice(start, start + 100).map(revoke))
}
