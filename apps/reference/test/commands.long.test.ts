import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { openDatabase } from '@grantkit/server/internal/database/database'
import { freePort } from '@grantkit/test-servers/free-port'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { run } from './program.ts'
import { type RunningService, runService } from './service.ts'
import { migrated } from './storage-of-test.ts'
import { user } from './user.ts'

/** The commands of the service, run as a person runs them. */

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

/** The programs that package.json starts, but not the benchmarks, which need packages of their own. */
const PROGRAMS = Object.entries(packageJson.scripts).flatMap(([name, script]) => {
  const [, program] = /\bnode (?:--watch )?(\S+\.ts(?: [\w-]+)?)$/.exec(script) ?? []
  return program === undefined || name.startsWith('bench') ? [] : [[name, program] as const]
})

describe.each(PROGRAMS)('%s', (_, program) => {
  it('prints its usage for --help, and an error with the usage for an unknown option', async () => {
    const [help, misspelt] = ['--help', '--hepl'].map((args) => run(`../../../${program}`, [args]))
    expect(await help?.ended, help?.output()).toBe(0)
    expect(await misspelt?.ended, misspelt?.output()).toBe(2)
    expect(help?.output()).toMatch(/^(USAGE )?(npx|pnpm|DATABASE_URL=\S+ pnpm) /m)
    expect(misspelt?.output()).toMatch(/^Unknown option '--hepl'\./)
    expect(misspelt?.output()).toContain(`\n\n${help?.output()}`)
  })
})

describe('demo', () => {
  it('runs the whole flow', async () => {
    const demo = run('commands/demo.ts', ['--no-open', '--url', service.baseUrl])
    await demo.printed('/oauth/authorize?')
    const [url = ''] = /http\S+\/oauth\/authorize\?\S+/.exec(demo.output()) ?? []
    const callback = await user(service.baseUrl)(url)
    expect(await (await fetch(callback)).text()).toContain('go back to the terminal')
    expect(await demo.ended).toBe(0)
    for (const text of ['Dana Moore', 'Watercolour basics', 'Refreshing', '401 {"error":"invalid_token"']) {
      expect(demo.output()).toContain(text)
    }
  })

  it('reports that the user denied', async () => {
    const demo = run('commands/demo.ts', ['--no-open', '--url', service.baseUrl])
    await demo.printed('/oauth/authorize?')
    const [url = ''] = /http\S+\/oauth\/authorize\?\S+/.exec(demo.output()) ?? []
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

describe('integration', () => {
  const environment = () => ({ STORE_URL: `sqlite:${inFolder('grants.sqlite')}` })

  it('prints an id and a secret that the running service knows', async () => {
    const args = [
      'add',
      '--name',
      'Zap',
      '--redirect-uri',
      'https://zap.example/cb',
      '--scope',
      'openid courses:read',
    ]
    const command = run('cli.ts integration', args, { environment: environment() })
    expect(await command.ended, command.output()).toBe(0)
    const [, client_id = ''] = /client_id +(\S+)/.exec(command.output()) ?? []
    const [, client_secret = ''] = /client_secret +(\S+)/.exec(command.output()) ?? []
    expect(await readFile(inFolder('grants.sqlite'), 'latin1')).not.toContain(client_secret)
    const introspect = (secret: string) => {
      const body = new URLSearchParams({ token: 'x', client_id, client_secret: secret })
      return fetch(`${service.baseUrl}/api/oauth/introspect`, { method: 'POST', body })
    }
    expect(await (await introspect(client_secret)).json()).toEqual({ active: false })
    expect((await introspect('wrong')).status).toBe(401)
  })

  it('lists integrations, and removes them from the running service', async () => {
    const integration = async (...args: string[]) => {
      const command = run('cli.ts integration', args, { environment: environment() })
      expect(await command.ended, command.output()).toBe(0)
      return command.output()
    }
    const added = await integration('add', '--name', 'Gone soon', '--redirect-uri', 'https://gone.example/cb')
    const [, client_id = ''] = /client_id +(\S+)/.exec(added) ?? []
    const query = new URLSearchParams({ client_id, redirect_uri: 'https://gone.example/cb' })
    const authorize = () => fetch(`${service.baseUrl}/oauth/authorize?${query}`, { redirect: 'manual' })
    expect((await authorize()).status, 'it is known').toBe(303)
    expect(await integration('list')).toMatch(
      new RegExp(`${client_id}.*Gone soon[^]*https://gone.example/cb`),
    )
    expect(await integration('remove', client_id)).toContain('Removed. 0 grants')
    expect((await authorize()).status, 'it is unknown').toBe(400)
    expect(await integration('list')).not.toContain('Gone soon')
  })

  it('adds a client of older software, and prints JSON', async () => {
    const integration = async (...args: string[]) => {
      const command = run('cli.ts integration', [...args, '--json'], { environment: environment() })
      expect(await command.ended, command.output()).toBe(0)
      return JSON.parse(command.output())
    }
    const older = [
      '--pkce',
      'optional',
      '--auth',
      'client_secret_post',
      '--id-token-claims',
      '--id-token-signed-response-alg',
      'ES256',
      '--redirect-uri',
      'https://old.example/cb',
    ]
    const added = await integration('add', '--name', 'Old portal', ...older)
    const said = { pkce: 'optional', token_endpoint_auth_method: 'client_secret_post', id_token_claims: true }
    expect(added).toMatchObject({
      ...said,
      id_token_signed_response_alg: 'ES256',
      client_secret: expect.any(String),
    })
    expect(await integration('list')).toContainEqual(expect.objectContaining({ client_id: added.client_id }))
    const list = run('cli.ts integration', ['list'], { environment: environment() })
    expect(await list.ended).toBe(0)
    expect(list.output()).toMatch(/Old portal.*may leave out PKCE, ID tokens have claims/)
    expect(await integration('remove', added.client_id)).toEqual({ existed: true, grantsEnded: 0 })
  })

  it('adds an API that may exchange the tokens of its callers, with TOKEN_EXCHANGE=on', async () => {
    const args = ['add', '--name', 'Calendar', '--redirect-uri', 'https://calendar.example/cb', '--json']
    const resource = ['--token-exchange-resource', 'http://127.0.0.1:3000']
    const on = { ...environment(), TOKEN_EXCHANGE: 'on' }
    const added = run('cli.ts integration', [...args, ...resource], { environment: on })
    expect(await added.ended, added.output()).toBe(0)
    expect(JSON.parse(added.output())).toMatchObject({
      grant_types: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE],
      token_exchange_resources: ['http://127.0.0.1:3000'],
    })
    const off = run('cli.ts integration', [...args, ...resource], { environment: environment() })
    expect(await off.ended).toBe(2)
    expect(off.output()).toContain('needs TOKEN_EXCHANGE=on')
    const unknown = run('cli.ts integration', [...args, '--grant', 'password'], { environment: on })
    expect(await unknown.ended).toBe(2)
  })

  it('adds one with required PAR', async () => {
    const args = ['add', '--name', 'Bank', '--redirect-uri', 'https://bank.example/cb', '--json']
    const push = [...args, '--push', 'required']
    const added = run('cli.ts integration', push, { environment: { ...environment(), PAR: 'on' } })
    expect(await added.ended, added.output()).toBe(0)
    expect(JSON.parse(added.output())).toMatchObject({ require_pushed_authorization_requests: true })
    const off = run('cli.ts integration', push, { environment: environment() })
    expect(await off.ended).toBe(2)
    expect(off.output()).toContain('needs PAR=on')
  })

  it('adds one with required DPoP, also with client credentials', async () => {
    const bank = ['--name', 'Bank', '--redirect-uri', 'https://bank.example/cb']
    const job = ['--name', 'Job', '--grant', 'client_credentials', '--scope', 'courses:read']
    const on = { ...environment(), DPOP: 'on', CLIENT_CREDENTIALS: 'on' }
    for (const args of [bank, job]) {
      const added = run('cli.ts integration', ['add', ...args, '--dpop', '--json'], { environment: on })
      expect(await added.ended, added.output()).toBe(0)
      expect(JSON.parse(added.output())).toMatchObject({ dpop_bound_access_tokens: true })
    }
    const off = run('cli.ts integration', ['add', ...bank, '--dpop'], { environment: environment() })
    expect(await off.ended).toBe(2)
    expect(off.output()).toContain('needs DPOP=on')
  })

  it('adds one with client credentials and a secret or a key, and prints it as one JSON object', async () => {
    const jobs = { ...environment(), CLIENT_CREDENTIALS: 'on' }
    const add = async (...args: string[]) => {
      const whole = ['add', '--name', 'Job', '--grant', 'client_credentials', '--scope', 'courses:read']
      const command = run('cli.ts integration', [...whole, ...args, '--json'], { environment: jobs })
      expect(await command.ended, command.output()).toBe(0)
      return JSON.parse(command.output())
    }
    const usual = {
      client_id: expect.any(String),
      grant_types: ['client_credentials'],
      client_credentials_scopes: 'courses:read',
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
    const list = run('cli.ts integration', ['list'], { environment: jobs })
    expect(await list.ended).toBe(0)
    expect(list.output()).toMatch(
      new RegExp(`${signed.client_id}  Job  client_credentials\n.*\n  scope     courses:read`),
    )
  })

  const JOB = ['add', '--name', 'Job', '--grant', 'client_credentials']
  it.each<[string[], number, string, object?]>([
    [[...JOB, '--scope', 'courses:read'], 2, 'needs CLIENT_CREDENTIALS=on.', {}],
    [JOB, 2, '--scope is required'],
    [[...JOB, '--scope', 'openid'], 1, 'openid is no scope for client credentials'],
    [[...JOB, '--scope', 'courses:read', '--jwks', import.meta.filename], 1, 'is not a JSON Web Key set'],
  ])('adds no client by %j', async (args, status, text, settings = { CLIENT_CREDENTIALS: 'on' }) => {
    const command = run('cli.ts integration', args, { environment: { ...environment(), ...settings } })
    expect(await command.ended).toBe(status)
    expect(command.output()).toContain(text)
  })

  it('needs a store that it can share with the service', async () => {
    const command = run('cli.ts integration', ['list'])
    expect(await command.ended).toBe(1)
    expect(command.output()).toContain('STORE_URL is memory:')
  })

  it.each([
    [['add', '--name', 'Zap', '--redirect-uri', 'http://zap.example/cb'], 1, 'must be https, loopback'],
    [['add', '--name', 'Zap'], 1, 'must not be empty'],
    [
      ['add', '--name', 'Zap', '--public', '--pkce', 'optional', '--redirect-uri', 'https://zap.example/cb'],
      1,
      'PKCE is the only protection of the code of a public client',
    ],
    [
      ['add', '--name', 'Zap', '--auth', 'client_secret_basic', '--redirect-uri', 'https://zap.example/cb'],
      1,
      'tokenEndpointAuthMethod: ',
    ],
    [['add', '--name', 'Zap', '--public', '--auth', 'none'], 2, '--public and --auth exclude each other.'],
    [['remove', 'unknown'], 1, 'There is no client unknown'],
  ])('answers %j with help', async (args, status, text) => {
    const command = run('cli.ts integration', args, { environment: environment() })
    expect(await command.ended).toBe(status)
    expect(command.output()).toContain(text)
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

describe('account', () => {
  const environment = () => ({ DATABASE_URL: `sqlite:${inFolder('accounts.sqlite')}`, STORE_URL: 'memory:' })
  beforeAll(() => migrated(environment()))
  const account = async (args: readonly string[], input = '') => {
    const command = run('cli.ts account', args, { environment: environment(), input })
    return [await command.ended, command.output()] as const
  }
  const add = (email: string, input: string) => account(['add', '--email', email, '--name', 'Ada'], input)

  it('adds an account that can sign in, and rejects a duplicate', async () => {
    expect(await add('Ada@School.example', 'correct horse\n')).toEqual([
      0,
      'ada@school.example can sign in.\n',
    ])
    const [status, output] = await add('ada@school.example', 'correct horse\n')
    expect([status, output]).toEqual([1, expect.stringContaining('has an account already')])
    expect((await account(['list']))[1]).toMatch(/ada@school\.example +Ada\n/)
    expect(await readFile(inFolder('accounts.sqlite'), 'latin1')).not.toContain('correct horse')
  })

  it('adds an account with profile claims and a verified address', async () => {
    const claims = ['--given-name', 'Dee', '--birthdate', '1990-04-02', '--email-verified']
    const args = ['add', '--email', 'dee@school.example', '--name', 'Dee', ...claims]
    expect((await account(args, 'correct horse'))[0]).toBe(0)
    const database = await openDatabase(environment().DATABASE_URL, () => {})
    const rows = await database.selectFrom('account').select('claims').execute()
    await database.destroy()
    expect(rows.map((row) => JSON.parse(row.claims))).toContainEqual(
      expect.objectContaining({ given_name: 'Dee', birthdate: '1990-04-02', email_verified: true }),
    )
    const wrong = await account([...args, '--locale', 'english language'], 'correct horse')
    expect(wrong).toEqual([1, expect.stringContaining('locale')])
  })

  it('disables, enables and removes, for good', async () => {
    await add('bob@school.example', 'correct horse\n')
    expect((await account(['password', 'bob@school.example'], 'better horse\n'))[0]).toBe(0)
    expect(await account(['sign-out', 'bob@school.example'])).toEqual([
      0,
      'bob@school.example is signed out in every browser.\n',
    ])
    expect((await account(['disable', 'Bob@school.example']))[1]).toContain('0 grants ended')
    expect((await account(['list']))[1]).toMatch(/bob@school\.example +Ada +disabled/)
    expect((await account(['enable', 'bob@school.example']))[0]).toBe(0)
    expect((await account(['remove', 'bob@school.example']))[0]).toBe(0)
    expect((await account(['list']))[1]).not.toContain('bob@school.example')
    expect(await account(['enable', 'bob@school.example'])).toEqual([
      1,
      expect.stringContaining('has no account'),
    ])
  })

  it('makes an account an admin, and reverts it', async () => {
    await add('cy@school.example', 'correct horse\n')
    expect(await account(['admin', 'Cy@school.example'])).toEqual([0, expect.stringContaining('/admin')])
    expect((await account(['list']))[1]).toMatch(/cy@school\.example +Ada +admin\n/)
    expect(JSON.parse((await account(['list', '--json']))[1].split('\n').at(-2) ?? '')).toMatchObject({
      admin: expect.any(Boolean),
      state: 'active',
    })
    expect((await account(['admin', 'cy@school.example', '--off']))[0]).toBe(0)
    expect((await account(['list']))[1]).not.toMatch(/admin\n/)
    expect((await account(['admin', 'unknown@school.example']))[0]).toBe(1)
  })

  it.each([
    ['eve@school.example', 'short', 'at least 8 characters'],
    ['eve', 'long enough', 'not an e-mail address'],
  ])('refuses %s with %j', async (email, input, text) => {
    expect(await add(email, input)).toEqual([1, expect.stringContaining(text)])
  })
})
