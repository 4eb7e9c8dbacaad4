import type { CallbackView, ConsentView, PublicClient, SignInHint, UserGrant } from '@grantkit/core'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { logout } from '@grantkit/core/logout'
import { expect, it } from 'vitest'
import { authorizationQuery, authorize, decide, redeem, redirectOf } from './client.ts'
import { openDeviceService } from './device-service.ts'
import { REDIRECT_URI } from './service.ts'

/** A service whose pages record their views, and a confidential client that uses all of them. */
async function walk() {
  const pages: Record<string, unknown> = {}
  const page = (name: string) => (view?: unknown) => {
    pages[name] = view
    return { status: 200, headers: {}, body: '' }
  }
  const ending = { endSession: async () => '', logoutPage: page('logout'), signedOutPage: page('signedOut') }
  const features = [logout(ending)]
  const { service, shown, start, enter, answer } = await openDeviceService({
    server: { features, callbackPage: page('callback') },
  })
  const client = await service.server.clients.add({
    clientName: 'Confidential',
    redirectUris: [REDIRECT_URI],
    grantTypes: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT],
  })
  const { clientId: client_id, clientSecret: client_secret = '' } = client
  const query = authorizationQuery(client_id)
  await authorize(service, query, {})
  await authorize(service, query)
  await redeem(service, client, String(redirectOf(await decide(service)).code))
  await authorize(service, query)
  await decide(service, { callback: 'show' })
  await enter((await start({ client_secret }, client)).user_code)
  await answer()
  await service.send('GET', '/oauth/logout', {
    query: { client_id },
    headers: { cookie: 'user=alice' },
  })
  const lists = {
    found: await service.server.clients.find(client_id),
    integrations: await service.server.clients.list(),
    grants: await service.server.grants.list('alice'),
  }
  const stored = await service.store.clients.find(client_id)
  const { signInHint, consent } = service.shown
  const seen = { signInHint, consent, device: shown.device, answered: shown.answered, ...pages, ...lists }
  return { seen, events: service.events, secretHash: String(stored?.value.secretHash) }
}

it('the hash of a client secret is in no view, hint, list or event', async () => {
  const { seen, events, secretHash } = await walk()
  expect(secretHash).toHaveLength(43)
  const texts = Object.entries(seen).map(([name, value]) => [name, JSON.stringify(value) ?? ''] as const)
  expect(texts.filter(([, text]) => !text.includes('Confidential')).map(([name]) => name)).toEqual([])
  expect(texts.filter(([, text]) => text.includes(secretHash)).map(([name]) => name)).toEqual([])
  expect(JSON.stringify(events)).not.toContain(secretHash)
})

it('the types of views, hints and lists have no hash', () => {
  type Shown = CallbackView | ConsentView | Required<SignInHint> | Required<UserGrant>
  const hashOf = (shown: Shown | { client: PublicClient }): undefined => shown.client?.secretHash
  expect(hashOf).toBeTypeOf('function')
})
