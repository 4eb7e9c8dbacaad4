import type { Context } from 'hono'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import { actingAs } from '../audit/actor.ts'
import { formOf, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import { accountVisits, PAGE_EXPIRED } from '../pages/account-visits.ts'
import type { LoginOptions } from '../pages/login-options.ts'
import type { AdminSignIns } from '../sign-in/admin-sign-ins.ts'
import type { Visit } from '../sign-in/session.ts'

/** A signed-in operator on a page of the operator's view. */
export interface OperatorVisit extends Visit {
  /** The token of the forms; absent if the operator has to sign in again before a change. */
  readonly token: string | undefined
  /** Whether the operator signed in strongly enough for a change. */
  readonly strong: boolean
}

/** A page, with the problem if it is shown again. */
export type Show = (c: Context, visit: OperatorVisit, problem?: string) => Promise<Response>
type Change = (c: Context, visit: OperatorVisit, fields: Record<string, string>) => Promise<Response>

/**
 * Checks who may see the operator's view, and who may change something there, by how and when they signed in. Runs at each request, so a removed admin
 * mark counts at once. Users without the mark get the 404 of a path that does not exist.
 */
export interface OperatorVisits {
  page(show: Show): (c: Context) => Promise<Response>
  /** Handles a form of the page. The page is shown again if the operator may not change anything. */
  form(show: Show, change: Change): (c: Context<WithBody>) => Promise<Response>
}

export interface OperatorVisitsOptions extends LoginOptions {
  readonly directory: AccountDirectory
  readonly adminSignIns: AdminSignIns
}

const NOT_FRESH = 'To change something here, sign in again first. Nothing was changed.'

export function operatorVisits(options: OperatorVisitsOptions): OperatorVisits {
  const { site, directory, adminSignIns } = options
  const visits = accountVisits(options, 'admin')

  async function asOperator(c: Context, answer: (visit: OperatorVisit) => Promise<Response>) {
    const visit = await visits.of(c)
    if (visit === undefined) return seeOther(c, signInPath(site.basePath, c))
    if (!(await directory.isAdmin(visit.account.id))) return c.notFound()
    const strong = await adminSignIns.isStrong(visit)
    const token = strong && visits.isFresh(visit) ? visits.tokenFor(visit) : undefined
    return answer({ ...visit, token, strong })
  }

  return {
    page: (show) => (c) => asOperator(c, (visit) => show(c, visit)),
    form: (show, change) => (c) =>
      asOperator(c, async (visit) => {
        const fields = formOf(c)
        if (!visits.isOwnForm(c, visit, fields.token)) return show(c, visit, PAGE_EXPIRED)
        if (visit.token === undefined) return show(c, visit, NOT_FRESH)
        return actingAs(`account:${visit.account.id}`, () => change(c, visit, fields))
      }),
  }
}

/** Redirects to the sign-in page, which leads back to this page. */
export function signInPath(basePath: string, c: Context): string {
  const { pathname, search } = new URL(c.req.url)
  return `${basePath}/login?${new URLSearchParams({ return_to: pathname + search })}`
}
