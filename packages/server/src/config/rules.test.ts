import { expect, it } from 'vitest'
import { problemsOf } from '../../test/problems-of.ts'
import { parseConfig } from './config.ts'

const POSTGRES = 'postgres://127.0.0.1/grantkit'

it('one worker is the default, and needs no database that processes share', () => {
  expect(parseConfig({ environment: {} }).workers).toBe(1)
})

it.each([
  ['memory', { DATABASE_URL: 'memory:' }, 'needs a postgres:// DATABASE_URL, not memory:'],
  ['a SQLite file', {}, 'needs a postgres:// DATABASE_URL, not sqlite:'],
  [
    'Postgres and clients in memory',
    { DATABASE_URL: POSTGRES, STORE_URL: 'memory:' },
    'STORE_URL, not memory:',
  ],
  [
    'Postgres and clients in a file',
    { DATABASE_URL: POSTGRES, STORE_URL: 'sqlite:x' },
    'STORE_URL, not sqlite:',
  ],
])('two workers on %s are refused, since each would count for itself', (_, places, problem) => {
  expect(problemsOf({ WORKERS: '2', ...places })).toEqual([expect.stringContaining(problem)])
})

it.each([
  ['Postgres', {}],
  ['Postgres and Redis', { STORE_URL: 'redis://127.0.0.1' }],
  ['Postgres and MariaDB', { STORE_URL: 'mariadb://127.0.0.1/grantkit' }],
  ['Postgres and DynamoDB', { STORE_URL: 'dynamodb://grantkit?region=eu-central-1' }],
])('two workers share %s', (_, places) => {
  expect(problemsOf({ WORKERS: '2', DATABASE_URL: POSTGRES, ...places })).toEqual([])
})

it.each([
  ['a table without a name', 'dynamodb://'],
  ['a table with an option that is none', 'dynamodb://grantkit?zone=eu-central-1'],
  ['a table with credentials', 'dynamodb://key:horse@grantkit'],
  ['another database', 'mongodb://127.0.0.1/grantkit'],
])('%s is no store', (_, STORE_URL) => {
  expect(problemsOf({ STORE_URL })).toEqual([expect.stringMatching(/^STORE_URL must be (?!.*horse)/)])
})

const FILE = '/run/secrets/password'

it.each([
  [
    'of a database in a file',
    { DATABASE_PASSWORD_FILE: FILE },
    'DATABASE_PASSWORD_FILE needs a postgres:// DATABASE_URL',
  ],
  [
    'next to one in the URL',
    { DATABASE_PASSWORD_FILE: FILE, DATABASE_URL: 'postgres://me:horse@db/auth' },
    'DATABASE_PASSWORD_FILE needs a postgres:// DATABASE_URL, without a password',
  ],
  [
    'of a store in the same Postgres',
    { STORE_PASSWORD_FILE: FILE, DATABASE_URL: POSTGRES, STORE_URL: POSTGRES },
    'STORE_PASSWORD_FILE needs a postgres:// STORE_URL of its own',
  ],
  ['by IAM of a SQLite file', { RDS_IAM: 'on' }, 'RDS_IAM needs a postgres:// URL that has no password'],
  [
    'by IAM next to one in a file',
    { RDS_IAM: 'on', DATABASE_URL: POSTGRES, DATABASE_PASSWORD_FILE: FILE },
    'RDS_IAM needs a postgres:// URL',
  ],
  ['by IAM of nobody', { RDS_IAM: 'on', DATABASE_URL: POSTGRES }, 'DATABASE_URL must name its user'],
  [
    'by IAM without TLS',
    { RDS_IAM: 'on', DATABASE_URL: 'postgres://me@db/auth?sslmode=disable' },
    'DATABASE_URL must have sslmode=verify-full',
  ],
  [
    'by IAM without a verified server',
    { RDS_IAM: 'on', DATABASE_URL: 'postgres://me@db/auth?sslmode=require&uselibpqcompat=true' },
    'DATABASE_URL must have sslmode=verify-full',
  ],
])('a password %s is refused', (_, places, problem) => {
  expect(problemsOf(places)).toEqual([expect.stringContaining(problem)])
})

it.each([
  ['postgres://me@db/auth', 'postgres://me@db/auth?sslmode=verify-full'],
  [
    'postgres://me@db/auth?application_name=x',
    'postgres://me@db/auth?application_name=x&sslmode=verify-full',
  ],
  [
    'postgres://me@db/auth?sslmode=require&sslrootcert=/rds.pem',
    'postgres://me@db/auth?sslmode=require&sslrootcert=/rds.pem',
  ],
])('RDS IAM verifies the server of %s, and database and store stay one', (DATABASE_URL, url) => {
  const { database, store } = parseConfig({ environment: { RDS_IAM: 'on', DATABASE_URL } })
  expect([database, store]).toEqual([url, url])
})

it('RDS IAM leaves a store with a password of its own alone', () => {
  const STORE_URL = 'postgres://me:horse@elsewhere/grants'
  const environment = { RDS_IAM: 'on', DATABASE_URL: 'postgres://me@db/auth', STORE_URL }
  expect(parseConfig({ environment }).store).toBe(STORE_URL)
})

it.each([
  ['an IP address', { BASE_URL: 'https://192.0.2.1' }, {}, 'browsers have no passkeys at https://192.0.2.1'],
  ['the address of a development', {}, {}, 'browsers have no passkeys at http://127.0.0.1:3000'],
  [
    'users of an application',
    { BASE_URL: 'http://localhost:3000', EXTERNAL_SIGN_IN_KEY: 'k'.repeat(43) },
    { users: { kind: 'external', url: 'https://app.example/sign-in' } },
    'requirePasskey needs the accounts of this server',
  ],
] as const)('a passkey cannot be required at %s', (_, environment, more, problem) => {
  const requirePasskey = { who: 'admins', from: '2027-01-31' } as const
  expect(problemsOf({ NODE_ENV: 'test', ...environment }, { requirePasskey, ...more })).toEqual([
    expect.stringContaining(problem),
  ])
})

it.each<[object, string]>([
  [{ who: 'admin', from: '2027-01-31' }, "who must be 'admins', 'all' or a list of roles"],
  [{ who: [], from: '2027-01-31' }, 'who'],
  [{ who: 'all', from: '31.01.2027' }, 'from must be a day, as 2027-01-31'],
  [{ who: 'all', from: '2027-02-30' }, 'from must be a day'],
  [{ who: 'all' }, 'from'],
])('%j says of nobody when a passkey is required', (requirePasskey, problem) => {
  const environment = { BASE_URL: 'http://localhost:3000' }
  const problems = problemsOf(environment, { requirePasskey: requirePasskey as never })
  expect(problems).toEqual([expect.stringContaining(problem)])
})
