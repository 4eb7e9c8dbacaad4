import { readFile } from 'node:fs/promises'
import type { AuthorizationServer } from '@grantkit/core'
import { Hono } from 'hono'
import type { AttemptReader } from '../attempts/attempt-reader.ts'
import type { TrailReader } from '../audit/reading.ts'
import type { CommandNames } from '../config/command-names.ts'
import type { OnEvent } from '../events.ts'
import { asset, prefetch, type WithBody } from '../http/bodies-and-answers.ts'
import type { OperatorClients } from '../operator/clients.ts'
import type { OperatorActions } from '../operator/operator-actions.ts'
import type { ServiceState } from '../operator/overview.ts'
import type { StatisticsReader } from '../statistics/statistics.ts'
import { type OperatorVisitsOptions, operatorVisits } from './admin-page.ts'
import { attemptPage } from './attempt-page.ts'
import { clientPage } from './client-page.ts'
import { clientsPage, INITIAL_TOKENS_PATH, initialTokensPage } from './clients-page.ts'
import { failuresPage } from './failures-page.ts'
import { overviewPage } from './overview-page.ts'
import { trailPage } from './trail-page.ts'
import { userPage, usersPage } from './user-page.ts'

export interface AdminOptions extends OperatorVisitsOptions {
  readonly actions: OperatorActions
  readonly clients: OperatorClients
  readonly grants: AuthorizationServer['grants']
  readonly trail: TrailReader
  readonly attempts: AttemptReader
  readonly onEvent: OnEvent
  readonly state: () => Promise<ServiceState>
  readonly commands: CommandNames
  readonly statistics: StatisticsReader
  /** Whether registration needs an initial access token. */
  readonly registersWithToken: boolean
}

export const ADMIN_STYLE = await readFile(new URL('style.css', import.meta.url), 'utf8')
const SCRIPT = await readFile(new URL('local-times.js', import.meta.url), 'utf8')

/**
 * The operator's view. Takes a request of a signed-in user, and returns a page or changes accounts, grants or clients.
 * No request reads a whole table: only the commands do that. Its routes are not in the OpenAPI document, which is for
 * authors of clients.
 */
export function admin(options: AdminOptions): Hono<WithBody> {
  const { site, directory } = options
  const visits = operatorVisits(options)
  const user = userPage(options, visits)
  const client = clientPage(options, visits)
  const initialTokens = initialTokensPage(options, visits)
  return new Hono<WithBody>()
    .get('/assets/local-times.js', asset('text/javascript; charset=utf-8', SCRIPT))
    .get('/admin', visits.page(overviewPage(options)))
    .get('/admin/users', visits.page(usersPage(site, directory)))
    .get('/admin/user', user.show)
    .post('/admin/user', prefetch, user.change)
    .get('/admin/clients', visits.page(clientsPage(options)))
    .get('/admin/client', client.show)
    .post('/admin/client', prefetch, client.change)
    .get(INITIAL_TOKENS_PATH, initialTokens.show)
    .post(INITIAL_TOKENS_PATH, prefetch, initialTokens.change)
    .get('/admin/why', visits.page(failuresPage(options)))
    .get('/admin/why/:reference', visits.page(attemptPage(options)))
    .get('/admin/trail', visits.page(trailPage(options)))
}
