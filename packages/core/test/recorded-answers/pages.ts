import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { ALICE, bodyOf, register, tokensFor } from '../client.ts'
import { REDIRECT_URI } from '../service.ts'
import { formOf } from './forms.ts'
import type { Recording } from './recording.ts'

/** A device from its request to its tokens, and a logout. */
export async function pageAnswers(recording: Recording): Promise<void> {
  await deviceAnswers(recording)
  await logoutAnswers(recording)
}

async function deviceAnswers({ service, ask }: Recording): Promise<void> {
  const grant_types = [DEVICE_CODE_GRANT, 'refresh_token']
  const about = { clientName: 'Tool', redirectUris: [], tokenEndpointAuthMethod: 'none' as const }
  const { clientId: client_id } = await service.server.clients.add({ ...about, grantTypes: grant_types })
  const request = (title: string, scope: string) =>
    ask(title, 'POST', '/api/oauth/device_authorization', { form: { client_id, scope } })
  await request('a device asks for a scope that does not exist', 'nope')
  const { device_code, user_code } = bodyOf<Record<string, string>>(await request('a device asks', 'openid'))
  const form = { grant_type: DEVICE_CODE_GRANT, client_id, device_code: String(device_code) }
  const poll = (title: string) => ask(title, 'POST', '/api/oauth/token', { form })
  await poll('a poll before the answer')
  const page = await ask('the form for the code', 'GET', '/oauth/device', { headers: ALICE })
  await ask('a code that is unknown', ...formOf(page, { user_code: 'WDJB-MJHT' }))
  const shown = await ask('a code that is known', ...formOf(page, { user_code: String(user_code) }))
  await ask('the user allows it', ...formOf(shown, { decision: 'allow', scope: 'openid' }))
  service.clock.now += 10
  await poll('a poll after the answer')
}

async function logoutAnswers({ service, ask }: Recording): Promise<void> {
  const client = await register(service, { post_logout_redirect_uris: [REDIRECT_URI] })
  const { id_token } = await tokensFor(service, client)
  const leave = (title: string, query: Record<string, string>) =>
    ask(title, 'GET', '/oauth/logout', { query, headers: ALICE })
  const back = { post_logout_redirect_uri: REDIRECT_URI, state: 'a state' }
  await leave('a logout back to the client', { id_token_hint: id_token, ...back })
  await leave('a logout to an address that is not registered', {
    id_token_hint: id_token,
    post_logout_redirect_uri: 'https://evil.example/',
  })
  const page = await leave('a logout without a hint', {})
  await ask('the user confirms it', ...formOf(page, {}))
}
