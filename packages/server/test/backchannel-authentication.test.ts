import { CIBA_GRANT } from '@grantkit/core/backchannel-authentication'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DANA, THEO } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { browserOf } from './signed-in-browser.ts'

/** Requests of agents, as the server names users, tells of them and ends them. */

let server: RunningServer
beforeAll(async () => {
  server = await runServer({ BACKCHANNEL_AUTHENTICATION: 'on' })
})
afterAll(() => server.close())

/** An agent of its own for each test: one request of a client waits for a user. */
async function openAgent() {
  const client = await server.clients.add({
    clientName: 'Night agent',
    redirectUris: [],
    grantTypes: [CIBA_GRANT, 'refresh_token'],
  })
  const { clientId: client_id, clientSecret: client_secret = '' } = client
  const post = async (path: string, form: Record<string, string>) => {
    const body = new URLSearchParams({ client_id, client_secret, ...form })
    return (await fetch(server.baseUrl + path, { method: 'POST', body })).json() as Promise<
      Record<string, string>
    >
  }
  return {
    client_id,
    ask: (login_hint: string) => post('/api/oauth/bc-authorize', { scope: 'openid', login_hint }),
    poll: ({ auth_req_id = '' }) => post('/api/oauth/token', { grant_type: CIBA_GRANT, auth_req_id }),
  }
}

it.each(['demo@example.com', 'DEMO@example.com', DANA.id, DANA.id.toUpperCase()])(
  '%s names a user, whom an event tells',
  async (hint) => {
    const { ask, client_id } = await openAgent()
    expect(await ask(hint)).toMatchObject({ interval: 5 })
    const subject = DANA.id
    const url = expect.stringContaining(`${server.baseUrl}/oauth/requests?request=`)
    const event = { type: 'backchannel_requested', clientId: client_id, subject, url }
    expect(server.events).toContainEqual(expect.objectContaining(event))
    // The list has room for five.
    const visit = await browserOf(server, 'demo')
    const [, id = ''] = /request=([\w-]+)"/.exec((await visit('/oauth/requests')).html) ?? []
    const { html } = await visit(`/oauth/requests?request=${id}`)
    const [, ticket = ''] = /name="ticket" value="([^"]+)"/.exec(html) ?? []
    await visit(`/oauth/requests/decision?request=${id}`, {}, { ticket, decision: 'deny' })
    const denied = { type: 'backchannel_denied', clientId: client_id, subject }
    expect(server.events).toContainEqual(expect.objectContaining(denied))
  },
)

it.each(['nobody@example.com', 'nobody'])('%s names no user, and the agent is not told', async (hint) => {
  const { ask, poll, client_id } = await openAgent()
  const asked = await ask(hint)
  expect(asked).toMatchObject({ expires_in: 300, interval: 5 })
  expect(await poll(asked)).toMatchObject({ error: 'authorization_pending' })
  const event = { type: 'backchannel_user_unknown', clientId: client_id }
  expect(server.events).toContainEqual(expect.objectContaining(event))
})

it('the account page links to the requests only if there may be any', async () => {
  expect((await (await browserOf(server, 'demo'))('/account')).html).toContain('<a href="/oauth/requests">')
  const without = await runServer()
  try {
    const { html } = await (await browserOf(without, 'demo'))('/account')
    expect(html).not.toContain('/oauth/requests')
    expect((await fetch(`${without.baseUrl}/oauth/requests`)).status).toBe(404)
  } finally {
    await without.close()
  }
})

it('a user who signs out everywhere ends what waits for them, and no request of another user', async () => {
  const [agent, other] = [await openAgent(), await openAgent()]
  const [asked, ofOther] = [await agent.ask(THEO.id), await other.ask(DANA.id)]
  const cookie = await sessionCookie(server.baseUrl, 'teacher@example.com', 'teacher')
  const page = await (await fetch(`${server.baseUrl}/account`, { headers: { cookie } })).text()
  const [, token = ''] = /action="\/account\/sign-out"[\s\S]*?name="token" value="([^"]+)"/.exec(page) ?? []
  const body = new URLSearchParams({ token })
  await fetch(`${server.baseUrl}/account/sign-out`, { method: 'POST', headers: { cookie }, body })
  expect(await agent.poll(asked)).toMatchObject({ error: 'expired_token' })
  expect(await other.poll(ofOther)).toMatchObject({ error: 'authorization_pending' })
})
