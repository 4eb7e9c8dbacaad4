import { describe, expect, it } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  decide,
  redeem,
  redirectOf,
  refresh,
  register,
} from './client.ts'
import { CHATGPT, CURSOR, CURSOR_WEB, openKnown, requestConsent } from './known-client-service.ts'

describe('a table that became shorter', () => {
  it('ends new authorizations at once, and names the setting in the error', async () => {
    const before = openKnown()
    const { clientId } = await register(before, { redirect_uris: [CHATGPT] })
    const after = openKnown({ except: ['chatgpt'] }, { store: before.store })
    const answer = await authorize(after, authorizationQuery(clientId, { redirect_uri: CHATGPT }))
    expect([answer.status, answer.headers.location]).toEqual([400, undefined])
    expect(after.shown.error).toMatchObject({
      error: 'invalid_redirect_uri',
      reason: 'known_client_off',
      description:
        "This server has not enabled this client. Ask its operator to enable it: knownClients({ only: [..., 'chatgpt'] })",
      parameters: { known: 'chatgpt', name: 'ChatGPT' },
    })
  })

  it('leaves grants as they are', async () => {
    const before = openKnown()
    const { clientId } = await requestConsent(before, CHATGPT)
    const { code = '' } = redirectOf(await decide(before))
    const after = openKnown({ except: ['chatgpt'] }, { store: before.store })
    const tokens = await redeem(after, { clientId }, code, { redirect_uri: CHATGPT })
    const { refresh_token } = bodyOf<{ refresh_token: string }>(tokens)
    expect((await refresh(after, { clientId }, refresh_token)).status).toBe(200)
  })

  it('leaves clients with loopback addresses as they are', async () => {
    const before = openKnown()
    const { clientId } = await register(before)
    const after = openKnown({ only: [] }, { store: before.store })
    const query = authorizationQuery(clientId, { redirect_uri: 'http://127.0.0.1:65000/callback' })
    expect((await authorize(after, query)).body).toBe('consent')
  })

  it('names the entry at an address that registration had dropped', async () => {
    const service = openKnown({ except: ['cursor'] })
    const { clientId } = await register(service, { redirect_uris: CURSOR })
    await authorize(service, authorizationQuery(clientId, { redirect_uri: CURSOR_WEB }))
    expect(service.shown.error?.reason).toBe('known_client_off')
  })
})
