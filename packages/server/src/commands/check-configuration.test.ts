import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseConfig } from '../config/config.ts'
import { claimWarnings, misspelledVariables, summaryOf, trial, unreachable } from './check-configuration.ts'

describe('grantkit check', () => {
  it('finds what only a start would find', async () => {
    const file = join(await temporaryFolder(), 'wrong')
    await writeFile(file, '{')
    const problems = (environment: Record<string, string>) =>
      trial({ config: parseConfig({ environment }), definition: {} })
    expect(await problems({ KEYS_FILE: file })).toEqual([`KEYS_FILE cannot be used: ${file} is not JSON`])
    expect(await problems({ CIMD_PINNED: file })).toEqual([
      expect.stringContaining(`CIMD_PINNED cannot be used: ${file}`),
    ])
    expect(await problems({ ACCOUNTS_FILE: '/gone.json' })).toEqual([expect.stringContaining('/gone.json')])
    expect(await problems({ DEFAULT_SCOPE: 'gone' })).toEqual([expect.stringContaining('defaultScope')])
    expect(await problems({})).toEqual([])
  })

  const FILES = ['KEYS_FILE', 'UPSTREAM_FILE', 'ACCOUNTS_FILE', 'WEBHOOKS', 'CIMD_PINNED']
  it.each(FILES)('names a file of %s that cannot be read, and quotes nothing of it', async (variable) => {
    const file = join(await temporaryFolder(), 'wrong.json')
    for (const content of ['{"secret": horse', '{"keys": "horse"}', '["horse"]']) {
      await writeFile(file, content)
      const problems = await trial({
        config: parseConfig({ environment: { [variable]: file } }),
        definition: {},
      })
      const named = new RegExp(`^${variable} cannot be used: [^\\n]*/wrong\\.json[^\\n]*$`)
      expect(problems).toEqual([expect.stringMatching(named)])
      expect(problems.join()).not.toContain('horse')
    }
  })

  it.each(FILES)('names %s and its file, where there is none', async (variable) => {
    const config = parseConfig({ environment: { [variable]: '/gone.json' } })
    const [problem] = await trial({ config, definition: {} })
    expect(problem).toContain(`${variable} cannot be used: there is no file /gone.json`)
  })

  it('names all problems that a start would find one after another', async () => {
    const environment = { KEYS_FILE: '/gone/keys.json', ACCOUNTS_FILE: '/gone/accounts.json' }
    const config = parseConfig({ config: { brand: { name: 'Notes', accent: 'yellow' } }, environment })
    expect((await trial({ config, definition: {} })).toSorted()).toEqual([
      expect.stringContaining('/gone/accounts.json'),
      expect.stringContaining('/gone/keys.json'),
      expect.stringContaining('brand.accent yellow has a contrast of'),
    ])
  })

  it('shows no secret and no password', () => {
    const environment = {
      SECRET: 'horse'.repeat(8),
      DATABASE_URL: 'postgres://me:horse@db/auth?password=horse',
      STORE_URL: 'rediss://:horse@cache:6379',
      MAIL_URL: 'smtp://mail?pass=horse',
      MAIL_FROM: 'no-reply@notes.example',
    }
    const text = summaryOf(parseConfig({ environment })).join('\n')
    expect(text).not.toContain('horse')
    expect(text).toContain('Database,postgres://me:***@db/auth?password=***')
  })

  it('lists a feature with rules or choices only if it is on', () => {
    const listed = (features: object, scopes: object = {}) =>
      summaryOf(parseConfig({ config: { features, scopes } as never, environment: {} })).find(
        ([subject]) => subject === 'Features',
      )?.[1] ?? ''
    expect(listed({})).not.toMatch(/jwtBearer|personalTokens/)
    const workload = { issuer: 'https://ci.example', claims: { sub: 'a' }, client: 'ci', scopes: ['a'] }
    expect(listed({ jwtBearer: { workloads: [workload] } })).toContain('jwtBearer')
    const scopes = { a: { description: 'A', personal: true } }
    expect(listed({ personalTokens: { enabled: true } }, scopes)).toContain('personalTokens')
  })

  it('shows the claims of resources and the rules for workloads', () => {
    const workload = { issuer: 'https://ci.example', claims: { sub: 'a' }, client: 'ci', scopes: ['a'] }
    const resources = { 'https://api.example': { claims: ['roles', 'name'] } }
    const config = { features: { jwtBearer: { workloads: [workload] } }, resources }
    const rows = Object.fromEntries(summaryOf(parseConfig({ config, environment: {} })))
    expect(rows.Resources).toContain('https://api.example (opaque with roles name)')
    expect(rows.Workloads).toBe('https://ci.example for the client ci')
  })

  it('warns of claims that accounts of this server never have, unless somebody else has the users', () => {
    const resources = { 'https://api.example': { claims: ['roles', 'name', 'locale'] } }
    const warnings = (environment = {}) => claimWarnings(parseConfig({ config: { resources }, environment }))
    expect(warnings()).toEqual([
      expect.stringContaining('accounts of this server never have the claims roles of https://api.example'),
    ])
    const EXTERNAL_SIGN_IN_URL = 'https://app.example/sign-in'
    expect(warnings({ EXTERNAL_SIGN_IN_URL, EXTERNAL_SIGN_IN_KEY: 'k'.repeat(32) })).toEqual([])
  })

  it('names a database that cannot be reached, and creates no file', async () => {
    const folder = await temporaryFolder()
    const DATABASE_URL = 'postgres://me:horse@127.0.0.1:1/auth'
    const STORE_URL = `sqlite:${folder}/new/store.sqlite`
    const problems = await unreachable(parseConfig({ environment: { DATABASE_URL, STORE_URL } }))
    expect(problems).toEqual([
      expect.stringMatching(/^DATABASE_URL: postgres:\/\/me:\*\*\*@127\.0\.0\.1:1\/auth cannot be used: /),
    ])
    expect(problems[0]).not.toContain('horse')
    expect(existsSync(join(folder, 'new'))).toBe(false)
  })

  it.each([
    ['mariadb://me:horse@127.0.0.1:1/auth', 'mariadb://me:***@127.0.0.1:1/auth'],
    ['dynamodb://grantkit?endpoint=http://127.0.0.1:1', 'dynamodb://grantkit?endpoint=***'],
  ])('names a store that cannot be reached: %s', async (STORE_URL, shown) => {
    for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'test')
    onTestFinished(() => void vi.unstubAllEnvs())
    const [problem = ''] = await unreachable(parseConfig({ environment: { STORE_URL } }))
    expect(problem).toContain(`STORE_URL: ${shown} cannot be used: `)
    expect(problem).toContain('ECONNREFUSED')
    expect(problem).not.toContain('horse')
  })

  it('names a file of a password that is missing', async () => {
    const file = join(await temporaryFolder(), 'password')
    const environment = { DATABASE_URL: 'postgres://me@127.0.0.1:1/auth', DATABASE_PASSWORD_FILE: file }
    expect(await unreachable(parseConfig({ environment }))).toEqual([
      expect.stringContaining('cannot be used: DATABASE_PASSWORD_FILE: ENOENT'),
    ])
  })

  it('warns of a variable that is almost one of the server', () => {
    const environment = { DATABSE_URL: '', BASEURL: '', LOG_LEVEL: '', SECRET_FILE: '', HOSTS: '', PATH: '' }
    expect(misspelledVariables(environment)).toEqual([
      'DATABSE_URL is set, and unknown: did you mean DATABASE_URL?',
    ])
  })
})
