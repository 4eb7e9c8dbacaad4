import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingWorkloadClients } from '../src/commands/check-configuration.ts'
import { clients } from '../src/commands/clients.ts'
import { ranCommand } from './ran-command.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** The commands that add and change clients. */

let server: RunningServer
beforeAll(async () => {
  const features = { logout: true, backChannelLogout: true, tokenExchange: true }
  server = await runServer({ INITIAL_ACCESS_TOKENS: 'on' }, { features })
})
afterAll(() => server.close())

const added = async (...options: string[]) => {
  const words = ['clients', 'add', '--name', 'Portal', '--json', ...options]
  const { output, errors } = await ranCommand(server, words)
  expect(output, errors).not.toBe('')
  return JSON.parse(output)
}

describe('clients add and clients update', () => {
  it('take the same members', async () => {
    const members = [
      ...['--redirect-uri', 'https://portal.example.com/cb'],
      ...['--post-logout-redirect-uri', 'https://portal.example.com/'],
      ...['--backchannel-logout-uri', 'https://portal.example.com/bcl'],
      ...['--backchannel-logout-session-required', '--session-bound', '--remember-consent'],
      ...['--id-token-signed-response-alg', 'ES256', '--id-token-claims'],
      ...['--tokens-per-minute', '60', '--grants-per-hour', '5'],
      ...['--grant', 'token_exchange', '--token-exchange-resource', `${server.baseUrl}`],
    ]
    const complete = await added(...members)
    const { client_id } = await added('--redirect-uri', 'http://127.0.0.1:7001/cb')
    const { output } = await ranCommand(server, ['clients', 'update', client_id, '--json', ...members])
    const own = { client_id, client_id_issued_at: expect.any(Number) }
    const { application_type: _, client_secret: __, ...shared } = complete
    expect(JSON.parse(output)).toMatchObject({ ...shared, ...own })
    expect(JSON.parse(output)).toMatchObject({ tokens_per_minute: 60, backchannel_logout_uri: members[5] })
  })

  it('have the same options, but for what is only of a new or only of a changed client', () => {
    const load = () => Promise.reject(new Error('Nothing runs'))
    const { add, update } = clients(load).subCommands as Record<string, { args: object }>
    const names = Object.keys(add?.args ?? {})
    const missing = names.filter((name) => !Object.keys(update?.args ?? {}).includes(name))
    expect(missing).toEqual(['known', 'expires-in-days', 'public'])
  })

  it('remove limits again', async () => {
    const uri = ['--redirect-uri', 'https://portal.example.com/cb']
    const { client_id } = await added(...uri, '--tokens-per-minute', '60')
    await ranCommand(server, ['clients', 'update', client_id, '--unset', 'tokens_per_minute'])
    expect(await server.clients.find(client_id)).not.toHaveProperty('tokensPerMinute')
  })

  it.each(['scope', 'grant'])('unset members of a client, and %s is none', async (name) => {
    const { client_id } = await added(
      '--redirect-uri',
      'https://portal.example.com/cb',
      '--scope',
      'notes:read',
    )
    const { errors, status } = await ranCommand(server, ['clients', 'update', client_id, '--unset', name])
    expect([status, errors]).toEqual([
      2,
      expect.stringContaining(`--unset takes a member, such as scopes or grant_types, not ${name}.`),
    ])
    expect(await server.clients.find(client_id)).toMatchObject({ scopes: ['notes:read'] })
  })

  it.each([
    [['--tokens-per-minute', '0'], '--tokens-per-minute must be a whole number of at least 1'],
    [['--push', 'required'], '--push needs PAR=on'],
    [['--grant', 'device'], '--grant device needs DEVICE_GRANT=integrations'],
  ])('refuse %j', async (options, message) => {
    const { client_id } = await added('--redirect-uri', 'https://portal.example.com/cb')
    const { errors, status } = await ranCommand(server, ['clients', 'update', client_id, ...options])
    expect([status, errors]).toEqual([2, expect.stringContaining(message)])
  })
})

it('clients list-tokens shows the initial access tokens that have not ended, the newest first, and not their texts', async () => {
  const make = async (...options: string[]) =>
    JSON.parse((await ranCommand(server, ['clients', 'add-token', '--json', ...options])).output)
  const first = await make('--label', 'Partner A', '--uses', '3', '--scope', 'notes:read')
  const second = await make('--label', 'Partner B')
  await ranCommand(server, ['clients', 'remove-token', (await make('--label', 'Gone')).id])
  const { output } = await ranCommand(server, ['clients', 'list-tokens'])
  const lines = output.trim().split('\n')
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`^${second.id} {2}until \\S+ {2}1 left {2}every scope {2}.*Partner B`)),
    expect.stringMatching(new RegExp(`^${first.id} {2}until \\S+ {2}3 left {2}notes:read {2}.*Partner A`)),
  ])
  expect(output).not.toContain(first.token)
})

it('clients show names no end of a static client', async () => {
  const { client_id } = await added('--redirect-uri', 'https://portal.example.com/cb')
  const { output } = await ranCommand(server, ['clients', 'show', client_id])
  expect(output).toMatch(/expiresAt +when it is removed/)
})

it('check warns of a rule for workloads whose client does not exist', async () => {
  const { client_id } = await added('--redirect-uri', 'https://portal.example.com/cb')
  const rule = { issuer: 'https://ci.example', claims: { sub: 'a' }, scopes: ['notes:read'] }
  const workloads = [client_id, 'gone', 'gone'].map((client) => ({ ...rule, client }))
  const { config } = server
  const features = { ...config.features, jwtBearer: { trusts: [], workloads: workloads as never } }
  const warnings = (store = config.store) =>
    missingWorkloadClients({ config: { ...config, store, features }, definition: {} })
  expect(await warnings()).toEqual([
    'features.jwtBearer.workloads: there is no client gone, so its rule gives no token',
  ])
  expect(await warnings(`${config.store}-not-there`)).toEqual([])
  expect(existsSync(`${config.store}-not-there`.slice('sqlite:'.length))).toBe(false)
})
