import { CIBA_GRANT } from '@grantkit/core/backchannel-authentication'
import type { RunningServer } from './running-server.ts'

/** An agent of its own for each test: one request of a client waits for a user, and a denial must not count for another test. */
export async function openAgent({ baseUrl, clients }: Pick<RunningServer, 'baseUrl' | 'clients'>) {
  const { clientId: client_id, clientSecret: client_secret = '' } = await clients.add({
    clientName: 'Night agent',
    redirectUris: [],
    grantTypes: [CIBA_GRANT, 'refresh_token'],
  })
  const post = async (path: string, form: Record<string, string>) => {
    const body = new URLSearchParams({ client_id, client_secret, ...form })
    return (await fetch(baseUrl + path, { method: 'POST', body })).json() as Promise<Record<string, string>>
  }
  return {
    client_id,
    ask: (login_hint: string, more: Record<string, string> = {}) =>
      post('/api/oauth/bc-authorize', { scope: 'openid', login_hint, ...more }),
    poll: ({ auth_req_id = '' }) => post('/api/oauth/token', { grant_type: CIBA_GRANT, auth_req_id }),
  }
}
