import type { AuthorizationServer } from '@grantkit/core'
import { Hono } from 'hono'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { TrailReader } from '../audit/trail-reader.ts'
import { prefetch, type WithBody } from '../http/bodies-and-answers.ts'
import { clientPage } from './client-page.ts'
import { clientsPage } from './clients-page.ts'
import { type OperatorVisitsOptions, operatorVisits } from './operator-visits.ts'
import type { Overview } from './overview.ts'
import { overviewPage } from './overview-page.ts'
import { trailPage } from './trail-page.ts'
import { userPage } from './user-page.ts'
import { usersPage } from './users-page.ts'

export interface AdminOptions extends OperatorVisitsOptions {
  readonly accounts: AccountRows
  readonly clients: AuthorizationServer['clients']
  readonly grants: AuthorizationServer['grants']
  readonly trail: TrailReader
  readonly overview: () => Promise<Overview>
  /** Called with errors of work that continues after the response. */
  readonly onError: (error: unknown) => void
}

/**
 * The operator's view. Takes a request of a signed-in user, and returns a page or changes accounts, grants or clients.
 * No request reads a whole table: only the commands do that. Its routes are not in the OpenAPI document, which is for
 * authors of clients.
 */
export function admin(options: AdminOptions): Hono<WithBody> {
  const { site, directory, clients, trail, overview } = options
  const visits = operatorVisits(options)
  const user = userPage(options, visits)
  const client = clientPage(options, visits)
  return new Hono<WithBody>()
    .get('/admin', visits.page(overviewPage(site, overview, trail)))
    .get('/admin/users', visits.page(usersPage(site, directory)))
    .get('/admin/user', user.show)
    .post('/admin/user', prefetch, user.change)
    .get('/admin/clients', visits.page(clientsPage(site, clients, trail)))
    .get('/admin/client', client.show)
    .post('/admin/client', prefetch, client.remove)
    .get('/admin/trail', visits.page(trailPage(site, trail)))
}
