import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { externalSignIn } from '../src/config/users.ts'
import { FIREBASE_HASH_CONFIG, PEPPER, SAMPLES } from './exported-samples.ts'
import { ranCommand } from './ran-command.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** `grantkit users import`: users of another system keep their passwords. */

let server: RunningServer
beforeAll(async () => {
  server = await runServer({ PASSWORD_PEPPER: PEPPER })
})
afterAll(() => server.close())

async function fileOf(name: string, text: string): Promise<string> {
  const path = join(await temporaryFolder(), name)
  await writeFile(path, text)
  return path
}

const BCRYPT = '$2a$12$abcdefghijklmnopqrstuu8a6wNd.Y5.7OUovFl3VVc9t1Ae2eQtq'

const imported = (path: string, ...words: string[]) => ranCommand(server, ['users', 'import', path, ...words])
const sampleOf = (from: string) => {
  const sample = SAMPLES.find((of) => of.from === from)
  if (sample === undefined) throw new Error(`There is no sample of ${from}`)
  return sample
}
const lines = (...entries: unknown[]) => entries.map((entry) => JSON.stringify(entry)).join('\n')

it('a dry run adds nobody, an import adds all, and a second one finds all there', async () => {
  const { entry, password } = sampleOf('aspnet')
  const path = await fileOf('aspnet.json', JSON.stringify([1, 2, 3].map(entry)))
  const tried = await imported(path, '--from', 'aspnet', '--dry-run')
  expect(tried).toMatchObject({
    status: 0,
    output: 'pbkdf2-sha512   3\n3 would be added, 0 present already, 0 refused.',
  })
  expect(await server.directory.withEmail('user-2@aspnet.example')).toBeUndefined()
  const { output } = await imported(path, '--from', 'aspnet')
  expect(output).toContain('3 added, 0 present already, 0 refused.')
  expect(server.events.filter(({ type }) => type === 'account_added')).not.toEqual([])
  expect(await server.accounts.claims('2')).toMatchObject({ email_verified: false })
  const cookie = await sessionCookie(server.baseUrl, 'user-2@aspnet.example', password)
  const page = await fetch(`${server.baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })
  expect(page.status).toBe(200)
  await server.settled()
  const again = await imported(path, '--from', 'aspnet')
  expect(again).toMatchObject({ status: 0, output: '0 added, 3 present already, 0 refused.' })
  expect((await server.accounts.find('2'))?.password).toMatch(/^\$argon2id\$/)
})

it('refused users are named by line, without a hash on the terminal', async () => {
  const { entry } = sampleOf('phc')
  const hash = '$2b$31$abcdefghijklmnopqrstuuCj7fyLDJytXL.TfOiOeiv0fQvSOK1/2'
  const path = await fileOf(
    'phc.json',
    lines(
      entry(101),
      { id: '102', email: 'user-102@phc.example', password: hash },
      { ...Object(entry(101)), email: 'another@phc.example' },
      { ...Object(entry(103)), email: 'demo@example.com' },
      entry(104),
    ),
  )
  const { status, output, errors } = await imported(path, '--from', 'phc', '--emails-verified')
  expect([status, output]).toEqual([1, 'argon2id        2\n2 added, 0 present already, 3 refused.'])
  expect(errors.split('\n').filter((line) => line.startsWith('line'))).toEqual([
    'line 2: the hash of the password has cost=31; the maximum is 14',
    'line 3: another user has this address or id, or had it',
    'line 4: another user has this address or id, or had it',
  ])
  expect(output + errors).not.toContain('$')
  expect(await server.accounts.claims('104')).toMatchObject({ email_verified: true })
})

it('an export of Firebase needs the hash parameters of its console', async () => {
  const { entry, password } = sampleOf('firebase')
  const path = await fileOf('firebase.json', JSON.stringify({ users: [entry(201)] }))
  const missing = await imported(path, '--from', 'firebase')
  expect([missing.status, missing.errors]).toEqual([2, expect.stringContaining('--hash-config is required')])
  const config = await fileOf('hash-config.txt', FIREBASE_HASH_CONFIG)
  expect(await imported(path, '--from', 'firebase', '--hash-config', config)).toMatchObject({ status: 0 })
  expect(await server.accounts.verify('user-201@firebase.example', password)).toMatchObject({ id: '201' })
})

it('passwords of Devise are checked with the configured pepper', async () => {
  const { entry, password } = sampleOf('devise')
  const path = await fileOf('devise.json', lines(entry(301)))
  expect(await imported(path, '--from', 'devise')).toMatchObject({ status: 0 })
  expect(await server.accounts.verify('user-301@devise.example', password)).toMatchObject({ id: '301' })
})

it('passwords of Devise are wrong without the pepper, and the log says so once', async () => {
  const warnings: string[] = []
  const onWarning = (warning: string) => void warnings.push(warning)
  const without = await runServer({}, {}, { onWarning })
  onTestFinished(() => without.close())
  const user = {
    id: '302',
    email: 'user-302@devise.example',
    email_verified: true,
    name: 'Ada',
    updated_at: 0,
  }
  await without.accounts.add({ ...user, password: `bcrypt_pepper$${BCRYPT}` })
  for (let time = 0; time < 2; time++)
    expect(await without.accounts.verify(user.email, sampleOf('devise').password)).toBeUndefined()
  expect(warnings).toEqual([expect.stringContaining('PASSWORD_PEPPER is missing')])
})

it('users of an application are not imported', async () => {
  const users = externalSignIn({ url: 'https://app.example/sign-in', key: 'k'.repeat(43) })
  const elsewhere = { config: { ...server.config, users } }
  const path = await fileOf('elsewhere.json', lines(sampleOf('phc').entry(401)))
  const { status, errors } = await ranCommand(elsewhere, ['users', 'import', path, '--from', 'phc'])
  expect([status, errors]).toEqual([1, expect.stringContaining('has the users of this server')])
})

it('a file without users is refused', async () => {
  const path = await fileOf('users.csv', 'email,password\n')
  const { status, errors } = await imported(path, '--from', 'phc')
  expect([status, errors]).toEqual([1, expect.stringContaining('users.csv is not JSON')])
})
