import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'
import { asset, prefetch, type WithBody } from '../http/bodies-and-answers.ts'
import { type AdminOptions, operatorVisits } from './admin-page.ts'
import { clientPage } from './client-page.ts'
import { clientsPage, INITIAL_TOKENS_PATH, initialTokensPage } from './clients-page.ts'
import { attemptPage, failuresPage } from './failures-page.ts'
import { overviewPage } from './overview-page.ts'
import { trailPage } from './trail-page.ts'
import { userPage, usersPage } from './user-page.ts'

export const ADMIN_STYLE = await readFile(new URL('style.css', import.meta.url), 'utf8')
const SCRIPT = await readFile(new URL('local-times.js', import.meta.url), 'utf8')

/**
 * The operator's view. Takes a request of a signed-in user, and returns a page or changes accounts, grants or clients.
 * No request reads a whole table: only the commands do that. Its routes are not in the OpenAPI document, which is for
 * authors of clients.
 */
export function admin(options: AdminOptions): Hono<WithBody> {
  const visits = operatorVisits(options)
  const user = userPage(options, visits)
  const client = clientPage(options, visits)
  const initialTokens = initialTokensPage(options, visits)
  return new Hono<WithBody>()
    .get('/assets/local-times.js', asset('text/javascript; charset=utf-8', SCRIPT))
    .get('/admin', visits.page(overviewPage(options)))
    .get('/admin/users', visits.page(usersPage(options)))
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
