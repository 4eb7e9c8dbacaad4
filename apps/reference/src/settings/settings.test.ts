import { describe, expect, it } from 'vitest'
import { parseSettings, SettingsError } from './settings.ts'

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    parseSettings(environment)
    return []
  } catch (error) {
    return error instanceof SettingsError ? error.problems : [String(error)]
  }
}

describe('the settings', () => {
  it('need no variable in development', () => {
    expect(parseSettings({})).toMatchObject({
      PORT: 3000,
      HOST: '127.0.0.1',
      BASE_URL: 'http://127.0.0.1:3000',
      DATABASE_URL: expect.stringMatching(/^sqlite:.*\/\.grantkit\/service\.sqlite$/),
      STORE_URL: expect.stringMatching(/^sqlite:.*\/\.grantkit\/service-grants\.sqlite$/),
      FRAMEWORK: 'fastify',
      CODE_LIFETIME: 60,
      ACCESS_TOKEN_LIFETIME: 3600,
      REFRESH_RETRY_WINDOW: 60,
    })
  })

  it.each([
    ['memory:', 'memory:'],
    ['sqlite:/var/lib/school', 'sqlite:/var/lib/school-grants'],
    ['postgres://db/school', 'postgres://db/school'],
  ])('put the store next to the database %s', (DATABASE_URL, STORE_URL) => {
    expect(parseSettings({ DATABASE_URL })).toMatchObject({ STORE_URL })
    expect(parseSettings({ DATABASE_URL, STORE_URL: 'memory:' })).toMatchObject({ STORE_URL: 'memory:' })
  })

  it('derive the base URL from the port, and keep a configured one unchanged', () => {
    expect(parseSettings({ PORT: '8080' }).BASE_URL).toBe('http://127.0.0.1:8080')
    expect(parseSettings({ BASE_URL: 'https://School.example/a' }).BASE_URL).toBe('https://School.example/a')
  })

  it.each([
    ['PORT', 'many', 'PORT must be a number'],
    ['PORT', '70000', 'PORT'],
    ['BASE_URL', 'school.example', 'BASE_URL must be an http or https URL'],
    ['BASE_URL', 'https://school.example/', 'trailing slash'],
    ['BASE_URL', 'https://school.example?x', 'BASE_URL'],
    ['FRAMEWORK', 'rails', 'FRAMEWORK must be fastify, express or hono'],
    [
      'DATABASE_URL',
      'mysql://localhost',
      'DATABASE_URL must be sqlite: and the path of a file, a postgres:// URL',
    ],
    ['DATABASE_URL', 'sqlite:', 'DATABASE_URL must be sqlite: and the path'],
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
    ['REFRESH_RETRY_WINDOW', '-1', 'REFRESH_RETRY_WINDOW'],
    ['REFRESH_RETRY_WINDOW', '901', 'REFRESH_RETRY_WINDOW'],
    ['GRANT_LIFETIME', 'long', 'GRANT_LIFETIME must be a number of seconds'],
  ])('say what is wrong with %s=%s', (name, value, problem) => {
    const problems = problemsOf({ [name]: value })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(problem)
  })

  it('allow a retry window of 0, and treat an empty variable as unset', () => {
    expect(parseSettings({ REFRESH_RETRY_WINDOW: '0', SECRET: '' })).toMatchObject({
      REFRESH_RETRY_WINDOW: 0,
    })
  })

  it.each([{ DPOP: 'required' }, { PROFILE: 'fapi2' }])(
    'let a gateway take bound tokens alone with %j',
    (variables) => {
      const [problem, ...others] = problemsOf({ ...variables, FORWARD_AUTH: 'on' })
      expect(problem).toContain('FORWARD_AUTH_ORIGIN is missing')
      expect(others).toEqual([])
      const origin = { FORWARD_AUTH_ORIGIN: 'https://notes.example' }
      expect(problemsOf({ ...variables, FORWARD_AUTH: 'on', ...origin })).toEqual([])
    },
  )

  it('list everything that is missing in production, at once', () => {
    const problems = problemsOf({ NODE_ENV: 'production', BASE_URL: 'http://school.example' })
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'DATABASE_URL',
      'SECRET',
      'KEYS_FILE',
      'BASE_URL',
    ])
    const complete = {
      DATABASE_URL: 'sqlite:d',
      SECRET: 's'.repeat(32),
      KEYS_FILE: 'k',
      BASE_URL: 'https://school.example',
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

describe('PROFILE=fapi2', () => {
  it('sets what the profile requires', () => {
    expect(parseSettings({ PROFILE: 'fapi2', CLIENT_CREDENTIALS: 'on' })).toMatchObject({
      CLIENT_AUTHENTICATION: ['private_key_jwt'],
      REGISTRATION: 'off',
      CIMD: 'off',
      DPOP: 'required',
      PAR: 'required',
    })
    const same = { CLIENT_AUTHENTICATION: 'private_key_jwt', DPOP: 'required', REGISTRATION: 'off' }
    expect(problemsOf({ PROFILE: 'fapi2', ...same })).toEqual([])
  })

  it.each([
    ['CLIENT_AUTHENTICATION', 'private_key_jwt,none', '5.3.2.1, item 6'],
    ['REGISTRATION', 'on', '5.3.2.1, item 3'],
    ['CIMD', 'on', '5.3.2.1, item 3'],
    ['DPOP', 'on', '5.3.2.1, item 4'],
    ['PAR', 'off', '5.3.2.2, item 3'],
    ['CODE_LIFETIME', '61', '5.3.2.1, item 11'],
  ])('refuses %s=%s, by the section %s', (name, value, section) => {
    const [problem = '', ...others] = problemsOf({ PROFILE: 'fapi2', [name]: value })
    expect(problem).toMatch(new RegExp(`^${name} must be .* with PROFILE=fapi2`))
    expect([problem.endsWith(`(FAPI 2.0 Security Profile ${section})`), others]).toEqual([true, []])
  })

  it('is the only profile', () => {
    expect(problemsOf({ PROFILE: 'fapi1' })).toEqual(['PROFILE must be fapi2'])
  })
})
