import { clientCredentials } from '@grantkit/core/client-credentials'
import { type Credentials, form, type Given, get, introspection, revocation, userinfo } from '../requests.ts'
import type { Settings } from '../server.ts'
import type { Stories, World } from '../world.ts'

async function openJob(world: World, options: Parameters<typeof clientCredentials>[0] = {}) {
  const settings: Settings = { features: [clientCredentials(options)] }
  const opened = world.reopened(settings)
  const { client_id, client_secret } = await opened.server.clients.add({
    client_name: 'Nightly job',
    redirect_uris: [],
    grant_types: ['client_credentials'],
    client_credentials_scopes: 'courses:read courses:write',
  })
  return { ...opened, job: { client_id, client_secret } }
}

const request = (client: Credentials, changed: Given = {}) =>
  form('/api/oauth/token', { grant_type: 'client_credentials', ...client, ...changed })

/** What a client gets for itself, and what it can do with that. */
export const CLIENT_CREDENTIALS: Stories = {
  'a token for a machine': async (world) => {
    const { ask, askGuard, job } = await openJob(world)
    const { access_token: token } = JSON.parse((await ask(request(job))).body)
    await ask(introspection(job, token))
    await ask(userinfo(token))
    await askGuard(get('/api/courses', { authorization: `Bearer ${token}` }), ['courses:read'])
    await ask(revocation(job, token))
    await ask(introspection(job, token))
  },
  'less than the operator gave': async (world) => {
    const { ask, job } = await openJob(world)
    await ask(request(job, { scope: 'courses:read', resource: 'https://school.example/mcp' }))
  },
  'more than the operator gave': async (world) => {
    const { ask, job } = await openJob(world)
    for (const scope of ['students:read', 'openid', 'courses:grade']) await ask(request(job, { scope }))
    await ask(request(job, { resource: 'https://evil.example' }))
    await ask(request(job, { client_secret: 'wrong' }))
  },
  'clients that registered themselves': async (world) => {
    const { ask } = await openJob(world)
    await ask(request(world.cast.app))
    await ask(request(world.cast.vault))
  },
  'a job whose scopes the operator took away': async (world) => {
    const { ask, job } = await openJob(world)
    const { clients } = world.ground.store
    const seen = await clients.find(job.client_id)
    if (seen === undefined) throw new Error('The job is not there')
    const changed = { ...seen.value, featureMetadata: {} }
    await clients.replace(job.client_id, seen, changed, seen.value.expiresAt)
    await ask(request(job))
  },
  'a job that asks too often': async (world) => {
    const { ask, job } = await openJob(world, { rateLimiter: { take: async () => 30 } })
    await ask(request(job))
  },
}
