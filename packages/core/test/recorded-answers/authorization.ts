import { ALICE, authorizationQuery, bodyOf, register } from '../client.ts'
import { formOf } from './forms.ts'
import type { Recording } from './recording.ts'

/** From an authorization request to its code, plain and pushed. */
export async function authorizationAnswers({ service, ask }: Recording): Promise<void> {
  const { clientId: client_id } = await register(service)
  const authorize = (title: string, changed = {}, headers = ALICE) =>
    ask(title, 'GET', '/oauth/authorize', { query: authorizationQuery(client_id, changed), headers })
  await authorize('no user is signed in', {}, { cookie: '' })
  await authorize('a client that is unknown', { client_id: 'unknown' })
  await authorize('no challenge', { code_challenge: undefined })
  await authorize('prompt none', { prompt: 'none' })
  const page = await authorize('a user is signed in')
  await ask('the user allows it', ...formOf(page, { decision: 'allow', scope: 'openid' }))
  await ask('the user denies it', ...formOf(page, { decision: 'deny' }))
  await ask('an unknown consent ticket', ...formOf(page, { ticket: 'x', decision: 'allow' }))

  const form = Object.fromEntries(new URLSearchParams(authorizationQuery(client_id)))
  const pushed = await ask('a pushed request', 'POST', '/api/oauth/par', { form })
  const { code_challenge: _, ...plain } = form
  await ask('a pushed request without a challenge', 'POST', '/api/oauth/par', { form: plain })
  const query = { client_id, request_uri: bodyOf<{ request_uri: string }>(pushed).request_uri }
  await ask('a request_uri', 'GET', '/oauth/authorize', { query, headers: ALICE })
  service.clock.now += 60
  await ask('a request_uri that has expired', 'GET', '/oauth/authorize', { query, headers: ALICE })
}
