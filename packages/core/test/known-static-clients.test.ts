import { describe, expect, it } from 'vitest'
import { authorizationQuery, authorize, decide, redirectOf } from './client.ts'
import { CHATGPT, CURSOR_APP, CURSOR_WEB, openKnown } from './known-client-service.ts'
import { openService } from './service.ts'

describe('a static client of a known one', () => {
  const confidential = { tokenEndpointAuthMethod: 'client_secret_basic' }

  it('has the name and addresses of the entry, with further ones', async () => {
    const redirectUris = ['https://tenant.example/cb', CURSOR_WEB]
    const client = await openKnown().server.clients.add({ known: 'cursor', redirectUris, ...confidential })
    expect(client).toMatchObject({
      clientName: 'Cursor',
      redirectUris: [CURSOR_APP, CURSOR_WEB, 'https://tenant.example/cb'],
      knownClient: 'cursor',
    })
  })

  it('may be of an entry that is off', async () => {
    const service = openKnown({ only: [] })
    const { clientId } = await service.server.clients.add({ known: 'antigravity', ...confidential })
    const redirect_uri = 'https://antigravity.google/oauth-callback'
    expect((await authorize(service, authorizationQuery(clientId, { redirect_uri }))).body).toBe('consent')
  })

  it('of an unknown entry is refused, with the names of all', async () => {
    await expect(openKnown().server.clients.add({ known: 'cursr' })).rejects.toThrow(
      /known: must be one of .*cursor/,
    )
    await expect(openService().server.clients.add({ known: 'cursor' })).rejects.toThrow(
      'known: must be one of none',
    )
  })

  it.each(['rememberConsent', 'pkceOptional'])(
    'has no %s, even if it names the address itself',
    async (member) => {
      const { clients } = openKnown().server
      const message = `${member}: not with a redirect URI of a known client`
      await expect(clients.add({ known: 'chatgpt', ...confidential, [member]: true })).rejects.toThrow(
        message,
      )
      const own = { clientName: 'Own', redirectUris: [CHATGPT], ...confidential, [member]: true }
      await expect(clients.add(own)).rejects.toThrow(message)
    },
  )

  it('that was added before the table has no exceptions either', async () => {
    const before = openService()
    const exceptions = { rememberConsent: true, pkceOptional: true }
    const own = { clientName: 'Own', redirectUris: [CHATGPT], ...confidential, ...exceptions }
    const { clientId } = await before.server.clients.add(own)
    const after = openKnown({}, { store: before.store })
    const request = { redirect_uri: CHATGPT, code_challenge: undefined, code_challenge_method: undefined }
    const query = authorizationQuery(clientId, { ...request, nonce: 'n' })
    expect(redirectOf(await authorize(after, query)).error).toBe('invalid_request')
    await authorize(after, authorizationQuery(clientId, { redirect_uri: CHATGPT }))
    await decide(after)
    expect((await authorize(after, authorizationQuery(clientId, { redirect_uri: CHATGPT }))).body).toBe(
      'consent',
    )
  })
})
