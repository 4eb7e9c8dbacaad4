import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'

/** Two instances of an application, of which one gets the new secret later. */

let server: RunningServer
const events: { type: string }[] = []
beforeAll(async () => {
  const onEvent = (event: { type: string }) => void events.push(event)
  server = await runServer({ CLIENT_CREDENTIALS: 'on' }, {}, { onEvent })
})
afterAll(() => server.close())

/** An instance that gets tokens one after the other until it stops, with the secret that it has at that time. */
async function instance(clientId: string, secret: string) {
  const state = { secret, tokens: 0, refusals: [] as unknown[], running: true }
  const options = { execute: [oidc.allowInsecureRequests] }
  const request = async () => {
    const auth = oidc.ClientSecretBasic(state.secret)
    const config = await oidc.discovery(new URL(server.baseUrl), clientId, {}, auth, options)
    const { access_token } = await oidc.clientCredentialsGrant(config, { scope: 'notes:read' })
    await oidc.tokenRevocation(config, access_token)
    state.tokens++
  }
  async function run() {
    while (state.running) await request().catch((error: unknown) => state.refusals.push(error))
  }
  const done = Promise.all([run(), run()])
  return {
    state,
    /** Waits until it has got some more tokens with what it has now. */
    async works() {
      const answered = () => state.tokens + state.refusals.length
      const before = answered()
      await expect.poll(answered).toBeGreaterThanOrEqual(before + 6)
    },
    async stop() {
      state.running = false
      await done
    },
  }
}

it('openid-client: two instances go through a rotation under load without a refusal', async () => {
  const { clientId, clientSecret = '' } = await server.clients.add({
    clientName: 'Nightly job',
    redirectUris: [],
    grantTypes: ['client_credentials'],
    clientCredentialsScopes: ['notes:read'],
  })
  const [early, late] = [await instance(clientId, clientSecret), await instance(clientId, clientSecret)]
  const bothWork = () => Promise.all([early.works(), late.works()])
  await bothWork()
  const rotated = await server.clients.rotateSecret(clientId)
  await bothWork()
  early.state.secret = rotated.clientSecret
  await bothWork()
  expect(events.filter(({ type }) => type === 'old_secret_used')).toHaveLength(1)
  late.state.secret = rotated.clientSecret
  await bothWork()
  expect(await server.clients.dropOldSecret(clientId)).toBe(true)
  await bothWork()
  await Promise.all([early.stop(), late.stop()])
  expect([...early.state.refusals, ...late.state.refusals]).toEqual([])
})
