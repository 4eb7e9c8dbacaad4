import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { openDatabase } from '@grantkit/server/database'
import { freePort } from '@grantkit/test-servers/free-port'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runCommand } from './command.ts'
import { run } from './program.ts'
import { type RunningService, runService } from './service.ts'
import { migrated } from './storage-of-test.ts'
import { user } from './user.ts'

/** The commands of the service. */

let folder: string
let service: RunningService
const inFolder = (name: string) => join(folder, name)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grantkit-commands-'))
  service = await runService({ STORE_URL: `sqlite:${inFolder('grants.sqlite')}` })
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

describe('demo', () => {
  async function started(...args: string[]) {
    const demo = run('commands/demo.ts', ['--no-open', '--url', service.baseUrl, ...args])
    await demo.printed('/oauth/authorize?')
    const [url = ''] = /http\S+\/oauth\/authorize\?\S+/.exec(demo.output()) ?? []
    return { demo, url }
  }

  it('runs the whole flow', async () => {
    const { demo, url } = await started()
    const callback = await user(service.baseUrl)(url)
    const thanks = await (await fetch(callback)).text()
    expect(thanks).toContain('go back to the terminal')
    expect(thanks).toContain('<bdi>Harbour School</bdi>')
    expect(await demo.ended).toBe(0)
    for (const text of ['Dana Moore', 'Watercolour basics', 'Refreshing', '401 {"error":"invalid_token"'])
      expect(demo.output()).toContain(text)
  })

  it('binds its tokens to a key with --dpop', async () => {
    const requiring = await runService({ DPOP: 'required' })
    onTestFinished(() => requiring.close())
    const { demo, url } = await started('--dpop', '--url', requiring.baseUrl)
    await fetch(await user(requiring.baseUrl)(url))
    expect(await demo.ended, demo.output()).toBe(0)
    for (const text of ['its thumbprint', 'dpop', 'Watercolour basics', 'Refreshing'])
      expect(demo.output()).toContain(text)
  })

  it('reports that the user denied', async () => {
    const { demo, url } = await started()
    await fetch(await user(service.baseUrl)(url, { decision: 'deny' }))
    expect(await demo.ended).toBe(1)
    expect(demo.output()).toContain('access_denied: The user denied access')
  })

  it('says what to do when no service runs', async () => {
    const demo = run('commands/demo.ts', ['--no-open', '--url', `http://127.0.0.1:${await freePort()}`])
    expect(await demo.ended).toBe(1)
    expect(demo.output()).toContain('start')
    expect(demo.output()).not.toContain('    at ')
  })
})

describe('clients', () => {
  const onClients = (words: readonly string[], settings = {}) =>
    runCommand(['clients', ...words], { STORE_URL: `sqlite:${inFolder('grants.sqlite')}`, ...settings })
  async function printed(words: readonly string[], settings = {}): Promise<string> {
    const { status, output } = await onClients(words, settings)
    expect(status, output).toBe(0)
    return output
  }
  const parsed = async (words: readonly string[], settings = {}) =>
    JSON.parse(await printed([...words, '--json'], settings))
  const BANK = ['add', '--name', 'Bank', '--redirect-uri', 'https://bank.example/cb']
  const JOB = ['add', '--name', 'Job', '--grant', 'client_credentials']
  const JOBS = { CLIENT_CREDENTIALS: 'on' }
  const EXCHANGE = ['--token-exchange-resource', 'http://127.0.0.1:3000']

  it('prints an id and a secret that the running service knows', async () => {
    const output = await printed([...BANK, '--scope', 'openid courses:read'])
    const [, client_id = ''] = /client_id +(\S+)/.exec(output) ?? []
    const [, client_secret = ''] = /client_secret +(\S+)/.exec(output) ?? []
    expect(await readFile(inFolder('grants.sqlite'), 'latin1')).not.toContain(client_secret)
    const introspect = (secret: string) => {
      const body = new URLSearchParams({ token: 'x', client_id, client_secret: secret })
      return fetch(`${service.baseUrl}/api/oauth/introspect`, { method: 'POST', body })
    }
    expect(await (await introspect(client_secret)).json()).toEqual({ active: false })
    expect((await introspect('wrong')).status).toBe(401)
  })

  it('lists clients, and removes them from the running service', async () => {
    const { client_id } = await parsed([
      'add',
      '--name',
      'Gone soon',
      '--redirect-uri',
      'https://gone.example/cb',
    ])
    const query = new URLSearchParams({ client_id, redirect_uri: 'https://gone.example/cb' })
    const authorize = () => fetch(`${service.baseUrl}/oauth/authorize?${query}`, { redirect: 'manual' })
    expect((await authorize()).status, 'it is known').toBe(303)
    expect(await printed(['list'])).toMatch(new RegExp(`${client_id}.*Gone soon`))
    expect(await printed(['remove', client_id])).toContain('Removed. 0 grants')
    expect((await authorize()).status, 'it is unknown').toBe(400)
    expect(await printed(['list'])).not.toContain('Gone soon')
  })

  it('adds a client of older software, and prints JSON', async () => {
    const older = [
      ...['--pkce', 'optional', '--auth', 'client_secret_post', '--id-token-claims'],
      ...['--id-token-signed-response-alg', 'ES256', '--redirect-uri', 'https://old.example/cb'],
    ]
    const added = await parsed(['add', '--name', 'Old portal', ...older])
    expect(added).toMatchObject({
      pkce_optional: true,
      token_endpoint_auth_method: 'client_secret_post',
      id_token_claims: true,
      id_token_signed_response_alg: 'ES256',
      client_secret: expect.any(String),
    })
    expect(await parsed(['remove', added.client_id])).toEqual({ grants_ended: 0 })
  })

  it.each<[string, string[], object, object]>([
    [
      'that may exchange the tokens of its callers',
      [...BANK, ...EXCHANGE],
      { TOKEN_EXCHANGE: 'on' },
      {
        grant_types: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE],
        token_exchange_resources: ['http://127.0.0.1:3000'],
      },
    ],
    [
      'with required PAR',
      [...BANK, '--push', 'required'],
      { PAR: 'on' },
      { require_pushed_authorization_requests: true },
    ],
    ['with required DPoP', [...BANK, '--dpop'], { DPOP: 'on' }, { dpop_bound_access_tokens: true }],
    [
      'with required DPoP and client credentials',
      [...JOB, '--scope', 'courses:read', '--dpop'],
      { DPOP: 'on', ...JOBS },
      { dpop_bound_access_tokens: true },
    ],
    [
      'with the device grant and no redirect URI',
      ['add', '--name', 'Television', '--public', '--grant', 'device'],
      { DEVICE_GRANT: 'integrations' },
      { redirect_uris: [], grant_types: ['refresh_token', DEVICE_CODE_GRANT] },
    ],
    [
      'with the device grant and a redirect URI',
      [...BANK, '--public', '--grant', 'device'],
      { DEVICE_GRANT: 'integrations' },
      { grant_types: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT] },
    ],
  ])('adds one %s', async (_, words, settings, expected) => {
    expect(await parsed(words, settings)).toMatchObject(expected)
  })

  it('adds one with client credentials and a secret or a key, and prints it as one JSON object', async () => {
    const add = (...more: string[]) => parsed([...JOB, '--scope', 'courses:read', ...more], JOBS)
    const usual = {
      client_id: expect.any(String),
      grant_types: ['client_credentials'],
      client_credentials_scopes: ['courses:read'],
    }
    expect(await add()).toMatchObject({
      ...usual,
      token_endpoint_auth_method: 'client_secret_basic',
      client_secret: expect.any(String),
    })
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const keys = [publicKey.export({ format: 'jwk' })]
    await writeFile(inFolder('job-keys.json'), JSON.stringify({ keys }))
    const signed = await add('--auth', 'private_key_jwt', '--jwks', inFolder('job-keys.json'))
    expect(signed).toMatchObject({ ...usual, jwks: { keys } })
    expect(signed).not.toHaveProperty('client_secret')
  })

  const ZAP = ['add', '--name', 'Zap', '--redirect-uri', 'https://zap.example/cb']
  it.each<[string[], number, string, object?]>([
    [[...BANK, ...EXCHANGE], 2, 'needs TOKEN_EXCHANGE=on'],
    [[...BANK, '--grant', 'password'], 2, '--grant must be device or ', { TOKEN_EXCHANGE: 'on' }],
    [[...BANK, '--grant', 'device'], 2, '--grant device needs DEVICE_GRANT=integrations.'],
    [[...BANK, '--push', 'required'], 2, 'needs PAR=on'],
    [[...BANK, '--dpop'], 2, 'needs DPOP=on'],
    [[...JOB, '--scope', 'courses:read'], 2, 'needs CLIENT_CREDENTIALS=on.'],
    [JOB, 2, '--scope is required', JOBS],
    [[...JOB, '--scope', 'courses:read', '--jwks', import.meta.filename], 1, 'is not JSON', JOBS],
    [['add', '--name', 'Zap', '--redirect-uri', 'http://zap.example/cb'], 1, 'must be https, loopback'],
    [['add', '--name', 'Zap'], 1, 'must not be empty'],
    [
      [...ZAP, '--public', '--pkce', 'optional'],
      1,
      'PKCE is the only protection of the code of a public client',
    ],
    [[...ZAP, '--auth', 'client_secret_basic'], 1, 'token_endpoint_auth_method: '],
    [[...ZAP, '--public', '--auth', 'none'], 2, '--public and --auth exclude each other.'],
  ])('adds no client by %j', async (words, status, text, settings) => {
    const printed = await onClients(words, settings)
    expect(printed).toEqual({ status, output: expect.stringContaining(text) })
  })
})

describe('cluster', () => {
  it('rejects a store that replicas cannot share', async () => {
    const command = run('commands/cluster.ts')
    expect(await command.ended).toBe(2)
    expect(command.output()).toContain('DATABASE_URL must be a Postgres that the replicas share')
  })

  it('starts replicas on the Postgres that DATABASE_URL names, and says why they end', async () => {
    const port = await freePort()
    const environment = { DATABASE_URL: `postgres://127.0.0.1:${port}/school` }
    const command = run('commands/cluster.ts', ['--port', String(await freePort())], { environment })
    expect(await command.ended).toBe(1)
    expect(command.output()).toContain(`ECONNREFUSED 127.0.0.1:${port}`)
  })
})

describe('users', () => {
  const environment = () => ({ DATABASE_URL: `sqlite:${inFolder('accounts.sqlite')}`, STORE_URL: 'memory:' })
  beforeAll(() => migrated(environment()))
  const account = (args: readonly string[], input = '') =>
    runCommand(['users', ...args], environment(), input)
  const add = (email: string, input = 'correct horse\n') =>
    account(['add', '--email', email, '--name', 'Ada'], input)
  const list = async () => (await account(['list'])).output

  it('adds an account that can sign in, and rejects a duplicate', async () => {
    expect(await add('Ada@School.example')).toEqual({
      status: 0,
      output: 'ada@school.example can sign in.\n',
    })
    expect(await add('ada@school.example')).toEqual({
      status: 1,
      output: expect.stringContaining('Another user has this address'),
    })
    expect(await list()).toMatch(/ada@school\.example +Ada\n/)
    expect(await readFile(inFolder('accounts.sqlite'), 'latin1')).not.toContain('correct horse')
  })

  it('adds an account with profile claims and a verified address', async () => {
    const claims = ['--given-name', 'Dee', '--birthdate', '1990-04-02', '--email-verified']
    const args = ['add', '--email', 'dee@school.example', '--name', 'Dee', ...claims]
    expect((await account(args, 'correct horse')).status).toBe(0)
    const database = await openDatabase(environment().DATABASE_URL, () => {})
    const rows = await database.selectFrom('account').select('claims').execute()
    await database.destroy()
    expect(rows.map((row) => JSON.parse(row.claims))).toContainEqual(
      expect.objectContaining({ given_name: 'Dee', birthdate: '1990-04-02', email_verified: true }),
    )
    const wrong = await account([...args, '--locale', 'english language'], 'correct horse')
    expect(wrong).toEqual({ status: 1, output: expect.stringContaining('locale') })
  })

  it('disables, enables and removes, for good', async () => {
    const bob = (command: string, input = '') => account([command, 'Bob@school.example'], input)
    await add('bob@school.example')
    expect((await bob('password', 'better horse\n')).status).toBe(0)
    expect(await bob('sign-out')).toEqual({
      status: 0,
      output: 'Bob@school.example is signed out in every browser.\n',
    })
    expect((await bob('disable')).output).toContain('0 grants ended')
    expect(await list()).toMatch(/bob@school\.example +Ada +disabled/)
    expect((await bob('enable')).status).toBe(0)
    expect((await bob('remove')).status).toBe(0)
    expect(await list()).not.toContain('bob@school.example')
    expect(await bob('enable')).toEqual({ status: 1, output: expect.stringContaining('has no account') })
  })

  it('makes an account an admin, and reverts it', async () => {
    await add('cy@school.example')
    expect(await account(['admin', 'Cy@school.example'])).toEqual({
      status: 0,
      output: expect.stringContaining('/admin'),
    })
    expect(await list()).toMatch(/cy@school\.example +Ada +admin\n/)
    const { output } = await account(['list', '--json'])
    expect(JSON.parse(output.split('\n').at(-2) ?? '')).toMatchObject({
      admin: expect.any(Boolean),
      state: 'active',
    })
    expect((await account(['admin', 'cy@school.example', '--off'])).status).toBe(0)
    expect(await list()).not.toMatch(/admin\n/)
    expect((await account(['admin', 'unknown@school.example'])).status).toBe(1)
  })

  it.each([
    ['eve@school.example', 'short', 'at least 8 characters'],
    ['eve', 'long enough', 'not an e-mail address'],
  ])('refuses %s with %j', async (email, input, text) => {
    expect(await add(email, input)).toEqual({ status: 1, output: expect.stringContaining(text) })
  })
})
