import { register } from '../client.ts'
import { REDIRECT_URI } from '../service.ts'
import type { Recording } from './recording.ts'

const REGISTER = '/api/oauth/register'
const METADATA = { client_name: 'App', redirect_uris: [REDIRECT_URI] }
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

/** Registration and client authentication. */
export async function clientAnswers({ service, ask }: Recording): Promise<void> {
  await ask('a public client', 'POST', REGISTER, { json: METADATA })
  const secretPost = { ...METADATA, token_endpoint_auth_method: 'client_secret_post' }
  await ask('a confidential client', 'POST', REGISTER, { json: secretPost })
  await ask('a redirect URI that is refused', 'POST', REGISTER, {
    json: { redirect_uris: ['https://a.example'] },
  })
  await ask('metadata that is malformed', 'POST', REGISTER, { json: { ...METADATA, grant_types: [] } })
  await ask('a body that is not JSON', 'POST', REGISTER, { form: 'a=b' })

  const client = await register(service, { token_endpoint_auth_method: 'client_secret_post' })
  const form = { grant_type: 'refresh_token', refresh_token: 'x' }
  const token = (title: string, message: object) => ask(title, 'POST', '/api/oauth/token', message)
  await token('a wrong secret', { form: { ...form, ...client, client_secret: 'wrong' } })
  await token('a wrong secret in a Basic header', { form, headers: basic(client.clientId, 'wrong') })
  await token('a client document that is gone', {
    form: { ...form, client_id: 'https://editor.dev/client.json' },
  })
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  await token('an assertion of an unknown client', {
    form: { ...form, client_assertion_type, client_assertion: 'a.b.c' },
  })
}
