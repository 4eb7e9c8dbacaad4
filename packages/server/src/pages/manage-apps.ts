import type { Session } from '@grantkit/core'
import type { UserApps } from '@grantkit/pages/connected-apps'
import type { Context } from 'hono'
import { formOf, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import type { Visit } from '../sign-in/session.ts'
import { type AccountVisits, PAGE_EXPIRED } from './account-visits.ts'
import type { ShowAgain } from './change-sign-in.ts'
import { addressOf } from './pagination.ts'

/** Handlers of the forms of "Connected apps". */
export interface ManageApps {
  /** Revokes the grants of one installation, or of all installations of its app. */
  disconnect(c: Context<WithBody>): Promise<Response>
  /** Renames an installation. An empty field removes the name. */
  nameApp(c: Context<WithBody>): Promise<Response>
}

interface Parts {
  readonly path: string
  readonly apps: UserApps
  /** Signs a notice for the page that follows. */
  readonly signNotice: (session: Session, notice: string) => string
}

export function manageApps(
  { path, apps, signNotice }: Parts,
  visits: AccountVisits,
  showAgain: ShowAgain,
): ManageApps {
  /** @param work returns the notice of the page, if it has one */
  const manage =
    (work: (visit: Visit, form: Record<string, string>, after?: string) => Promise<string | undefined>) =>
    async (c: Context<WithBody>) => {
      const visit = await visits.of(c)
      if (visit === undefined) return visits.signIn(c)
      const form = formOf(c)
      // A page of the previous release has `token`.
      if (!visits.isOwnForm(c, visit, form.ticket ?? form.token)) return showAgain(c, visit, PAGE_EXPIRED)
      const after = c.req.query('after')
      return seeOther(c, addressOf(path, { after, notice: await work(visit, form, after) }))
    }

  return {
    disconnect: manage(async ({ session }, { installation = '', all }, after) => {
      const { subject } = session
      if (all === undefined) {
        const app = await apps.disconnect(subject, installation, after)
        return app && signNotice(session, disconnected(app.called ?? app.name))
      }
      const app = await apps.disconnectAll(subject, installation, after)
      return app && signNotice(session, disconnected(app.name))
    }),
    nameApp: manage(async ({ session }, { installation = '', name = '' }, after) => {
      await apps.name(session.subject, installation, name, after)
      return undefined
    }),
  }
}

function disconnected(name = 'The app'): string {
  return `${name} is disconnected. It can no longer act on your behalf.`
}
