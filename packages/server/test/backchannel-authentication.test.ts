import { afterAll, beforeAll, expect, it } from 'vitest'
import { openAgent } from './backchannel-agent.ts'
import { DANA, THEO } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { browserOf } from './signed-in-browser.ts'

/** Requests of agents, as the server names users, tells of them and ends them. */

let server: RunningServer
beforeAll(async () => {
  server = await runServer({ BACKCHANNEL_AUTHENTICATION: 'on' })
})
afterAll(() => server.close())

it.each(['demo@example.com', 'DEMO@example.com', DANA.id, DANA.id.toUpperCase()])(
  '%s names a user, whom an event tells',
  async (hint) => {
    const { ask, client_id } = await openAgent(server)
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
  const { ask, poll, client_id } = await openAgent(server)
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
  const [agent, other] = [await openAgent(server), await openAgent(server)]
  const [asked, ofOther] = [await agent.ask(THEO.id), await other.ask(DANA.id)]
  const visit = await browserOf(server, 'teacher')
  const { html } = await visit('/account')
  const [, token = ''] = /action="\/account\/sign-out"[\s\S]*?name="token" value="([^"]+)"/.exec(html) ?? []
  await visit('/account/sign-out', {}, { token })
  expect(await agent.poll(asked)).toMatchObject({ error: 'expired_token' })
  expect(await other.poll(ofOther)).toMatchObject({ error: 'authorization_pending' })
})
