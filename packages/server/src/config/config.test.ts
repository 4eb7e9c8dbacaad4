import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { describe, expect, it } from 'vitest'
import { problemsOf } from '../../test/problems-of.ts'
import { configWarnings, parseConfig } from './config.ts'
import { STANDARD_SCOPES } from './schema.ts'
import { directory, externalSignIn } from './users.ts'
import { knownFields } from './variables.ts'

const inEnvironment = (environment: Record<string, string>) => parseConfig({ environment })

describe('the environment', () => {
  it('needs no variable in development', () => {
    expect(parseConfig({ folder: '/srv/auth' })).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      baseUrl: 'http://127.0.0.1:3000',
      database: 'sqlite:/srv/auth/.grantkit/service.sqlite',
      store: 'sqlite:/srv/auth/.grantkit/service-grants.sqlite',
      lifetimes: { code: 60, accessToken: 3600, refreshRetryWindow: 60 },
    })
  })

  it.each([
    ['memory:', 'memory:'],
    ['sqlite:/var/lib/auth', 'sqlite:/var/lib/auth-grants'],
    ['postgres://db/auth', 'postgres://db/auth'],
  ])('puts the store next to the database %s', (DATABASE_URL, store) => {
    expect(inEnvironment({ DATABASE_URL })).toMatchObject({ store })
    expect(inEnvironment({ DATABASE_URL, STORE_URL: 'memory:' })).toMatchObject({ store: 'memory:' })
  })

  it('gives the base URL by the port, and keeps a configured one unchanged', () => {
    expect(inEnvironment({ PORT: '8080' }).baseUrl).toBe('http://127.0.0.1:8080')
    expect(inEnvironment({ BASE_URL: 'https://Auth.localhost/a' }).baseUrl).toBe('https://Auth.localhost/a')
  })

  it.each([
    ['PORT', 'many', 'PORT must be a number'],
    ['PORT', '70000', 'PORT'],
    ['BASE_URL', 'auth.example', 'BASE_URL must be an http or https URL'],
    ['BASE_URL', 'https://auth.example/', 'trailing slash'],
    ['BASE_URL', 'HTTPS://auth.example', 'BASE_URL must begin with http:// or https:// in lower case'],
    ['BASE_URL', 'https://auth.example?x', 'BASE_URL'],
    [
      'DATABASE_URL',
      'mysql://localhost',
      'DATABASE_URL must be sqlite: and the path of a file, a postgres:// URL',
    ],
    ['DATABASE_URL', 'sqlite:', 'DATABASE_URL must be sqlite: and the path'],
    ['STORE_URL', 'mariadb://db/app?sslmode=verify-full', 'STORE_URL must have ssl=true for TLS'],
    ['STORE_URL', 'mysql://db/app?x=1&ssl-mode=REQUIRED', 'STORE_URL must have ssl=true for TLS'],
    ['DATABASE_URL', 'postgres://me:horse@db:x/auth', 'DATABASE_URL is no URL: look at its port'],
    ['STORE_URL', 'postgres:', 'STORE_URL must be sqlite: and the path of a file'],
    ['SECRET', 'short', 'SECRET must have at least 32 characters'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL'],
    ['JWT_ACCESS_TOKEN_LIFETIME', '601', 'JWT_ACCESS_TOKEN_LIFETIME'],
    ['DPOP_REPLAY', 'on', 'DPOP_REPLAY must be window or strict'],
    ['FORWARD_AUTH_ORIGIN', 'https://notes.example/', 'FORWARD_AUTH_ORIGIN must be an http or https origin'],
    [
      'CLIENT_AUTHENTICATION',
      'none, basic',
      'must be a list of none, client_secret_post, client_secret_basic',
    ],
    ['RATE_LIMITS', 'some', 'RATE_LIMITS must be on or off'],
    ['TRUST_PROXY', 'true', 'TRUST_PROXY must be a number of proxies, or their addresses'],
    ['TRUST_PROXY', '0', 'TRUST_PROXY'],
    ['TRUST_PROXY', '10.0.0.0/64', 'TRUST_PROXY'],
    ['CIMD', 'yes', 'CIMD must be on or off'],
    ['CIMD_ADMIT', 'claude.ai', 'CIMD_ADMIT must be https addresses of documents, separated by commas'],
    ['CIMD_ADMIT', 'https://app.dev/c.json,http://app.dev/c.json', 'CIMD_ADMIT'],
    ['CIMD_TEST_RESOLVE', 'app.dev', 'CIMD_TEST_RESOLVE must be names with an address and a port'],
    ['CIMD_TEST_RESOLVE', 'app.dev=localhost:8443', 'CIMD_TEST_RESOLVE'],
    ['CIMD_TEST_RESOLVE', 'app.dev=127.0.0.1', 'CIMD_TEST_RESOLVE'],
    ['CODE_LIFETIME', '0', 'CODE_LIFETIME'],
    ['ACCESS_TOKEN_LIFETIME', '1.5', 'ACCESS_TOKEN_LIFETIME must be a whole number'],
    [
      'RESOURCES',
      '/mcp, http://api.example',
      /^RESOURCES must be https URLs .*, not "http:\/\/api.example"$/,
    ],
    ['REFRESH_RETRY_WINDOW', '-1', 'REFRESH_RETRY_WINDOW'],
    ['REFRESH_RETRY_WINDOW', '901', 'REFRESH_RETRY_WINDOW'],
    ['GRANT_LIFETIME', 'long', 'GRANT_LIFETIME must be a number of seconds'],
  ])('says what is wrong with %s=%s', (name, value, problem) => {
    const problems = problemsOf({ [name]: value })
    expect(problems).toEqual([
      typeof problem === 'string' ? expect.stringContaining(problem) : expect.stringMatching(problem),
    ])
  })

  it('may set a retry window of 0, and treats an empty variable as unset', () => {
    expect(inEnvironment({ REFRESH_RETRY_WINDOW: '0', SECRET: '' })).toMatchObject({
      lifetimes: { refreshRetryWindow: 0 },
    })
  })

  it('demands no passkey of admins where none of them could have one', () => {
    const users = { kind: 'external', url: 'https://app.example/sign-in' }
    const given = { ADMIN_ACR: 'phr', EXTERNAL_SIGN_IN_KEY: 'k'.repeat(43) }
    const problem = expect.stringMatching(/^ADMIN_ACR phr needs features.stepUp/)
    expect(problemsOf(given, { users })).toEqual([problem])
    expect(problemsOf({ ...given, STEP_UP: 'on' }, { users })).toEqual([])
    const atDirectory = directory({ find: async () => undefined, verifyPassword: async () => undefined })
    expect(problemsOf({ ADMIN_ACR: 'phr', STEP_UP: 'on' }, { users: atDirectory })).toHaveLength(1)
  })

  it.each([
    ['at an IP address', {}, false],
    ['at a name', { BASE_URL: 'http://localhost:3000' }, true],
    ['at an IP address with a file of providers', { UPSTREAM_FILE: 'upstream.json' }, true],
  ])('may demand a passkey of admins %s: %#', (_, variables, isPossible) => {
    const problem = /^ADMIN_ACR must not be phr: browsers have no passkeys at http:\/\/127\.0\.0\.1:3000/
    expect(problemsOf({ ADMIN_ACR: 'phr', ...variables })).toEqual(
      isPossible ? [] : [expect.stringMatching(problem)],
    )
  })

  it('may demand a passkey of admins at an IP address if a provider says how its users signed in', () => {
    const provider = {
      id: 'partner',
      label: 'Partner',
      issuer: 'https://partner.example',
      clientId: 'notes',
      clientSecret: { env: 'PARTNER' },
    }
    const withProvider = (trustAcr: boolean) =>
      problemsOf({ ADMIN_ACR: 'phr', PARTNER: 's' }, { upstream: [{ ...provider, trustAcr }] })
    expect(withProvider(false)).toHaveLength(1)
    expect(withProvider(true)).toEqual([])
  })

  it.each([{ DPOP: 'required' }, { PROFILE: 'fapi2' }])(
    'lets a gateway take bound tokens alone with %j',
    (variables) => {
      const [problem, ...others] = problemsOf({ ...variables, FORWARD_AUTH: 'on' })
      expect(problem).toContain('FORWARD_AUTH_ORIGIN is missing')
      expect(others).toEqual([])
      const origin = { FORWARD_AUTH_ORIGIN: 'https://notes.example' }
      expect(problemsOf({ ...variables, FORWARD_AUTH: 'on', ...origin })).toEqual([])
    },
  )

  it('lists everything that is missing in production, at once', () => {
    const problems = problemsOf({ NODE_ENV: 'production', BASE_URL: 'http://auth.example' })
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'DATABASE_URL',
      'SECRET',
      'KEYS_FILE',
      'BASE_URL',
    ])
    expect(problems[3]).toBe(
      'BASE_URL must be an https URL in production, not "http://auth.example". Every address but a loopback one is production',
    )
    expect(problemsOf({}, { mode: 'production', baseUrl: 'http://auth.example' }).at(-1)).toBe(
      'baseUrl must be an https URL in production, not "http://auth.example". Every address but a loopback one is production',
    )
    expect(problemsOf({ NODE_ENV: 'production' }).at(-1)).toMatch(/^BASE_URL is missing/)
    const complete = {
      DATABASE_URL: 'sqlite:d',
      SECRET: 's'.repeat(32),
      KEYS_FILE: 'k',
      BASE_URL: 'https://auth.example',
    }
    expect(problemsOf({ NODE_ENV: 'production', ...complete })).toEqual([])
    expect(problemsOf({ NODE_ENV: 'production', ...complete, RATE_LIMITS: 'off' })).toEqual([
      'RATE_LIMITS must not be off in production',
    ])
    const inward = { CIMD_TEST_CA: 'ca.pem', CIMD_TEST_RESOLVE: 'app.dev=127.0.0.1:8443' }
    expect(problemsOf({ NODE_ENV: 'production', ...complete, ...inward })).toEqual([
      'CIMD_TEST_CA must not be set in production',
      'CIMD_TEST_RESOLVE must not be set in production',
    ])
  })
})

describe('the mode', () => {
  const modeAt = (baseUrl: string, variables = {}) => {
    const complete = { DATABASE_URL: 'memory:', SECRET: 's'.repeat(32), KEYS_FILE: 'k' }
    return inEnvironment({ ...complete, BASE_URL: baseUrl, ...variables }).mode
  }

  it('is that of the address: development on this machine, else production', () => {
    for (const address of ['http://127.0.0.1:3000', 'http://localhost:3000', 'https://auth.localhost/a'])
      expect(modeAt(address)).toBe('development')
    expect(inEnvironment({}).mode).toBe('development')
    expect(modeAt('https://auth.example')).toBe('production')
  })

  it('is production at every other address, whatever was forgotten or left', () => {
    for (const variables of [{}, { NODE_ENV: 'development' }])
      for (const address of ['https://school.example', 'http://192.168.1.10:3000', 'http://0.0.0.0:3000'])
        expect(problemsOf({ BASE_URL: address, ...variables }).slice(0, 3)).toEqual([
          expect.stringContaining('DATABASE_URL is missing'),
          expect.stringContaining('SECRET is missing'),
          expect.stringContaining('KEYS_FILE is missing'),
        ])
    expect(problemsOf({ BASE_URL: 'http://192.168.1.10:3000' }).at(-1)).toBe(
      'BASE_URL must be an https URL in production, not "http://192.168.1.10:3000". Every address but a loopback one is production',
    )
  })

  it('is production on this machine too, or that of a test, only if it is set', () => {
    expect(modeAt('https://localhost:8443', { NODE_ENV: 'production' })).toBe('production')
    expect(modeAt('https://auth.example', { NODE_ENV: 'test' })).toBe('test')
    const local = { BASE_URL: 'http://localhost:4700', NODE_ENV: 'production' }
    expect(problemsOf(local).at(-1)).toBe(
      'BASE_URL must be an https URL in production, not "http://localhost:4700". NODE_ENV makes it production; without it, a loopback address is development',
    )
  })
})

describe('PROFILE=fapi2', () => {
  it('sets what the profile requires', () => {
    expect(inEnvironment({ PROFILE: 'fapi2', CLIENT_CREDENTIALS: 'on' })).toMatchObject({
      features: {
        clientAuthentication: ['private_key_jwt'],
        registration: false,
        clientDocuments: { enabled: false },
        dpop: { mode: 'required' },
        par: 'required',
      },
    })
    const same = { CLIENT_AUTHENTICATION: 'private_key_jwt', DPOP: 'required', REGISTRATION: 'off' }
    expect(problemsOf({ PROFILE: 'fapi2', ...same })).toEqual([])
  })

  it.each([
    ['CLIENT_AUTHENTICATION', 'private_key_jwt,none', '5.3.2.1, item 6'],
    ['CLIENT_ASSERTION_AUDIENCES', 'endpoints', '5.3.2.1, item 8'],
    ['REGISTRATION', 'on', '5.3.2.1, item 3'],
    ['CIMD', 'on', '5.3.2.1, item 3'],
    ['DPOP', 'on', '5.3.2.1, item 4'],
    ['PAR', 'off', '5.3.2.2, item 3'],
    ['CODE_LIFETIME', '61', '5.3.2.1, item 11'],
  ])('refuses %s=%s, by the section %s', (name, value, section) => {
    const [problem = '', ...others] = problemsOf({ PROFILE: 'fapi2', [name]: value })
    expect(problem).toMatch(new RegExp(`^${name} must be .* with PROFILE=fapi2, not "${value}" `))
    expect([problem.endsWith(`(FAPI 2.0 Security Profile ${section})`), others]).toEqual([true, []])
  })

  it('is the only profile', () => {
    expect(problemsOf({ PROFILE: 'fapi1' })).toEqual(['PROFILE must be fapi2, not "fapi1"'])
  })
})

describe('a configuration file', () => {
  it.each([
    [{ featurs: {} }, 'featurs is unknown: did you mean features?'],
    [{ features: { dpopp: {} } }, 'features.dpopp is unknown: did you mean features.dpop?'],
    [{ deviceGrant: 'all' }, /^deviceGrant is unknown\. Known: mode, baseUrl, /],
    [{ dpop: {} }, 'dpop is unknown: did you mean features.dpop?'],
    [{ accessToken: 60 }, 'accessToken is unknown: did you mean lifetimes.accessToken?'],
    [{ port: '3000' }, 'port must be a number, not "3000"'],
    [{ limits: 'off' }, 'limits must be true or false, not "off"'],
    [{ features: true }, /^features /],
    [{ features: { par: 'yes' } }, 'features.par must be off, on or required, not "yes"'],
    [
      { resources: { '/mcp': {}, notes: {} } },
      'resources must be https URLs without a fragment, http URLs of this machine, or paths below baseUrl, not "notes"',
    ],
    [{ resources: { 'http://api.example': {} } }, /^resources must be https .*, not "http:\/\/api.example"$/],
    [{ resources: { '/mcp': { scopes: 'read' } } }, 'resources["/mcp"].scopes must be a list, not "read"'],
    [{ resources: [] }, 'resources must be an object, not []'],
    [{ upstream: {} }, 'upstream must be a list, not {}'],
    [{ upstream: ['google'] }, 'upstream[0] must be an object, not "google"'],
    [{ trustProxy: true }, /^trustProxy must be a number of proxies, .*, not true$/],
    [{ database: 'mysql://db/horse' }, /^database must be sqlite: and the path of a file/],
    [
      { users: { kind: 'external', url: 'https://app.example', secret: { env: 'KEY' } } },
      'users.secret is unknown. Known: kind, url, key, keys, check, checkSeconds, directory',
    ],
    [
      { users: { kind: 'external', url: 'https://app.example', checkSecond: 5 } },
      'users.checkSecond is unknown: did you mean users.checkSeconds?',
    ],
    ...['scope', 'sub', 'cnf', '__proto__'].map((claim): [object, RegExp] => [
      { resources: { '/api': { claims: ['roles', claim] } } },
      /claims\[1\] must be no claim that the server itself sets/,
    ]),
    [{ features: { code: 60 } }, /^features\.code is unknown\. Known: clientAuthentication, /],
    [{ features: { replay: 'strict' } }, 'features.replay is unknown: did you mean features.dpop.replay?'],
    [{ mail: { secret: 'horse' } }, 'mail.secret is unknown. Known: url, from'],
    [{ resources: { '/mcp': { lifetime: 0 } } }, 'resources["/mcp"].lifetime must be at least 1, not 0'],
    [{ scopes: { read: {} } }, /^scopes\.read\.description must be a text, or texts by language/],
    [{ lifetimes: { code: 0 } }, 'lifetimes.code must be at least 1, not 0'],
    [{ secret: 1 }, "secret must be { env: 'NAME_OF_A_VARIABLE' } or { file: '/run/secrets/…' }"],
    [{ secret: { env: 'GONE' } }, 'secret needs the variable GONE, which is not set'],
    [{ secret: { file: 'gone' } }, 'secret cannot be read from /srv/auth/gone: ENOENT'],
  ])('is refused: %j', (config, problem) => {
    expect(problemsOf({}, config)).toEqual([
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    ])
  })

  it('has the standard scopes with their texts in each language, without writing them', () => {
    const own = { email: { description: 'Mail' }, notes: { description: 'Read notes' } }
    const { scopes } = parseConfig({ config: { scopes: { openid: {}, profile: { claims: ['x'] }, ...own } } })
    expect(scopes).toEqual({
      ...{ openid: STANDARD_SCOPES.openid, profile: { ...STANDARD_SCOPES.profile, claims: ['x'] } },
      ...own,
    })
  })

  it.each([
    ['secret', { secret: 'correct horse battery staple, quite long' }, 'the variable SECRET'],
    ['previousSecret', { previousSecret: 'correct horse battery staple' }, 'the variable SECRET_PREVIOUS'],
    ['database', { database: 'postgres://me:horse@db/auth' }, 'the variable DATABASE_URL'],
    ['database', { database: 'me:horse@db/auth' }, 'the variable DATABASE_URL'],
    ['store', { store: 'redis:me:horse@cache' }, 'the variable STORE_URL'],
    ['mail.url', { mail: { url: 'smtp://me:horse@mail' } }, 'the variable MAIL_URL'],
    [
      'upstream.a.clientSecret',
      {
        upstream: [
          { id: 'a', label: 'A', issuer: 'https://a.example', clientId: 'a', clientSecret: 'horse' },
        ],
      },
      "{ env: 'NAME_OF_A_VARIABLE' }",
    ],
  ])('must not contain %s, and the error does not either', (key, config, instead) => {
    const [problem = '', ...others] = problemsOf({}, config)
    expect(problem).toContain(`${key} must not be written into the configuration`)
    expect(problem).toContain(instead)
    expect(problem).not.toContain('horse')
    expect(others).toEqual([])
  })

  it.each(knownFields().map(({ key }) => key))('names what %s must be, in words of its own', (key) => {
    for (const wrong of [() => 1, []]) {
      const problems = problemsOf(
        {},
        key.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), wrong) as object,
      )
      for (const problem of problems) expect(problem).not.toMatch(/Invalid|expected|Too |is not valid/)
    }
  })

  it.each([
    { database: { url: 'horse' } },
    { store: ['horse'] },
    { database: 'horse' },
    { mail: { url: 'horse' } },
    { secret: { env: ['horse'] } },
    { baseUrl: 'https://me:horse@auth.example/' },
    { upstream: [{ clientSecret: ['horse'] }] },
    { users: { kind: 'external', url: 'https://me:horse@app.example?x' } },
  ])('is not quoted where it could be a secret: %j', (config) => {
    const problems = problemsOf({}, config)
    expect(problems).not.toEqual([])
    expect(problems.join()).not.toContain('horse')
  })

  it('must not contain a secret that a variable replaces either', () => {
    const secret = 'correct horse battery staple, quite long'
    expect(problemsOf({ SECRET: 's'.repeat(32) }, { secret })).toEqual([
      expect.stringContaining('secret must not be written into the configuration'),
    ])
    expect(problemsOf({ MINE: secret }, { secret })).toEqual([])
    const database = 'postgres://db/auth?password=horse'
    expect(problemsOf({ DATABASE_URL: 'memory:' }, { database })).toEqual([
      expect.stringContaining('database must not be written into the configuration'),
    ])
    expect(problemsOf({ MINE: database }, { database })).toEqual([])
  })

  it('lists its problems and those of the environment at once, each by its own name', () => {
    expect(problemsOf({ PORT: 'many', SECRET: 'short' }, { port: 1, drainSeconds: -1 })).toEqual([
      'PORT must be a number, not "many"',
      'SECRET must have at least 32 characters',
      'drainSeconds must be at least 0, not -1',
    ])
  })

  it('is overridden by the environment, one value at a time', () => {
    const config = { port: 1, features: { dpop: { mode: 'on', replay: 'strict' } } } as const
    const environment = { PORT: '2', DPOP: 'required', RESOURCES: '/mcp, https://api.example' }
    expect(parseConfig({ config, environment })).toMatchObject({
      port: 2,
      features: { dpop: { mode: 'required', replay: 'strict' } },
      resources: { 'http://127.0.0.1:2/mcp': {}, 'https://api.example': {} },
    })
  })

  it('has paths from its folder, and the environment from the working directory', () => {
    const config = { database: 'sqlite:data/auth.sqlite', keysFile: 'keys.json' }
    expect(parseConfig({ config, folder: '/srv/auth' })).toMatchObject({
      database: 'sqlite:/srv/auth/data/auth.sqlite',
      keysFile: '/srv/auth/keys.json',
    })
    const { keysFile } = parseConfig({ environment: { KEYS_FILE: 'k.json' }, config, folder: '/srv/auth' })
    expect(keysFile).toBe(resolve('k.json'))
  })

  it('refers to secrets, which variables may name as files too', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'secret'), `${'s'.repeat(32)}\n`)
    const secret = 's'.repeat(32)
    expect(parseConfig({ config: { secret: { file: 'secret' } }, folder })).toMatchObject({ secret })
    expect(parseConfig({ environment: { SECRET_FILE: join(folder, 'secret') } })).toMatchObject({ secret })
    const config = { secret: { env: 'MINE' } }
    expect(parseConfig({ config, environment: { MINE: secret } })).toMatchObject({ secret })
  })

  it('never changes once it is read', () => {
    const config = parseConfig({})
    expect(() => Object.assign(config.features.dpop, { mode: 'on' })).toThrow(TypeError)
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError)
  })
})

it.each([
  [1, 'with client documents', {}],
  [0, 'with pinned documents', { CIMD_PINNED: 'documents.json' }],
  [0, 'without client documents', { CIMD: 'off' }],
  [0, 'where pushing is optional', { PAR: 'on' }],
  [0, 'where signing is optional', { REQUEST_OBJECTS: 'on' }],
])('has %i warnings that signed requests must be pushed %s', (count, _, more) => {
  const environment = { NODE_ENV: 'test', PAR: 'required', REQUEST_OBJECTS: 'required', ...more }
  expect(configWarnings(parseConfig({ environment }))).toHaveLength(count)
})

it.each([
  [0, {}],
  [0, { PORT: '21002' }],
  [1, { PORT: '21002', BASE_URL: 'http://127.0.0.1:3000' }],
  [1, { BASE_URL: 'http://localhost' }],
  [0, { PORT: '80', BASE_URL: 'http://localhost' }],
  [0, { BASE_URL: 'https://notes.localhost' }],
  [0, { BASE_URL: 'http://notes.example:8080' }],
])('has %i warnings of another port in the base URL with %j', (count, environment) => {
  const config = parseConfig({ environment: { NODE_ENV: 'test', ...environment } })
  const warnings = configWarnings(config)
  expect(warnings).toHaveLength(count)
  for (const warning of warnings) expect(warning).toContain(`, and port is ${config.port}.`)
})

it('warns of a resource and a sign-in page on this machine, where the server has a public address', () => {
  const [resource, url] = ['http://127.0.0.1:4000/mcp', 'http://localhost:5000/sign-in']
  const users = externalSignIn({ url, keys: 'http://localhost:5000/keys' })
  const warnings = (baseUrl: string) => {
    const resources = { [resource]: {}, 'https://notes.example/mcp': {} }
    const config = { baseUrl, resources, users }
    return configWarnings(parseConfig({ config, environment: { NODE_ENV: 'test' } }))
  }
  expect(warnings('https://auth.example')).toEqual([
    expect.stringContaining(`resources: ${resource} `),
    expect.stringContaining(`users: ${url} `),
  ])
  expect(warnings('http://127.0.0.1:3000')).toEqual([])
})

/** Warnings about rules for workloads. */

const GITHUB = 'https://token.actions.githubusercontent.com'

function warningsOf(issuer: string, claims: Record<string, string>): readonly string[] {
  const rule = { issuer, claims, client: 'deployment', scopes: ['notes:write'] }
  const config = { features: { jwtBearer: { workloads: [rule] } } }
  return configWarnings(parseConfig({ config, environment: { NODE_ENV: 'test' } }))
}

it.each([
  [GITHUB, { sub: 'repo:acme/notes:ref:refs/heads/main' }, 'repository_id'],
  [GITHUB, { sub: 'repo:acme/notes:*', environment: 'production' }, 'repository_id'],
  ['https://gitlab.com', { sub: 'project_path:acme/notes:*' }, 'project_id'],
])('warns of a rule for %s with %j, whose name can be taken by somebody else', (issuer, claims, id) => {
  expect(warningsOf(issuer, claims)).toEqual([
    expect.stringContaining(`deployment names its owner by a name`),
  ])
  expect(warningsOf(issuer, claims)[0]).toContain(id)
})

it.each([
  [GITHUB, { repository_id: '74', repository_owner_id: '65' }],
  [GITHUB, { sub: 'repo:acme@65/notes@74:ref:refs/heads/main' }],
  ['https://gitlab.example', { sub: 'project_path:acme/notes:*' }],
])('does not warn of a rule for %s with %j', (issuer, claims) => {
  expect(warningsOf(issuer, claims)).toEqual([])
})
