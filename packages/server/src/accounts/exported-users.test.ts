import { describe, expect, it } from 'vitest'
import { FIREBASE_HASH_CONFIG, PEPPER, SAMPLES } from '../../test/exported-samples.ts'
import { exportedUsersOf, firebaseHashConfig, type Source } from './exported-users.ts'
import { passwordMatches } from './password-hashes.ts'

function entries(from: Source, text: string, { emailsVerified = false, pepper = true } = {}) {
  const hashConfig = firebaseHashConfig('hash-config', FIREBASE_HASH_CONFIG)
  return [...exportedUsersOf('users.json', text, { from, emailsVerified, pepper, hashConfig })]
}

function only(from: Source, entry: unknown, options = {}) {
  const [read, ...more] = entries(from, JSON.stringify([entry]), options)
  expect(more).toEqual([])
  if (read === undefined) throw new Error('There is no entry')
  return read
}

function user(...of: Parameters<typeof only>) {
  const read = only(...of)
  if ('problem' in read) throw new Error(read.problem)
  return read.user
}

describe('a password of another system', () => {
  it.each(SAMPLES.map((of) => [of.from, of.scheme, of] as const))(
    '%s with %s signs its user in',
    async (from, scheme, { entry, password }) => {
      const read = only(from, entry(1))
      if ('problem' in read) throw new Error(read.problem)
      expect([read.scheme, read.user.email]).toEqual([scheme, `user-1@${from}.example`])
      const signsIn = (typed: string) => passwordMatches(typed, read.user.hash, { pepper: PEPPER })
      expect([await signsIn(password), await signsIn(`${password}!`)]).toEqual([true, false])
    },
  )

  it.each([
    ['a cost of bcrypt', '$2b$31$abcdefghijklmnopqrstuuCj7fyLDJytXL.TfOiOeiv0fQvSOK1/2', 'cost=31'],
    ['64 GiB for Argon2', phc('m=67108864,t=2,p=1'), 'm=67108864'],
    ['11 passes of Argon2', phc('m=19456,t=11,p=1'), 't=11'],
    ['9 lanes of Argon2', phc('m=19456,t=2,p=9'), 'p=9'],
    ['512 MiB for scrypt', '$scrypt$ln=19,r=8,p=1$c2Vhc2FsdDI$AAECAwQFBgcICQoLDA0ODw', '512 MiB'],
    ['6,000,000 iterations', '$pbkdf2-sha256$i=6000000$c2Vhc2FsdDI$AAECAwQFBgcICQoLDA0ODw', 'i=6000000'],
    ['a key of a byte', '$pbkdf2-sha256$i=1000$c2Vhc2FsdDI$AA', 'key of 1 bytes'],
    ['the faulty bcrypt', '$2x$10$abcdefghijklmnopqrstuuCj7fyLDJytXL.TfOiOeiv0fQvSOK1/2', 'unknown form'],
    ['a NUL', '$2b$10$abcdefghijklmnopqrst\0uCj7fyLDJytXL.TfOiOeiv0fQvSOK1/2', 'unknown form'],
    ['a password in clear', 'correct horse battery', 'unknown form'],
    ['MD5', '5f4dcc3b5aa765d61d8327deb882cf99', 'let them use "Forgot your password?"'],
  ])('is not taken over with %s', (_, password, problem) => {
    const read = only('phc', { id: '1', email: 'ada@notes.example', password })
    expect(read).toEqual({ place: 'user 1', problem: expect.stringContaining(problem) })
    expect(JSON.stringify(read)).not.toContain(password.slice(-22))
  })

  it.each<readonly [Source, unknown]>([
    [
      'django',
      {
        pk: 1,
        fields: { email: 'a@b.example', password: 'sha1$seasalt2$cff36ea83f5706ce9aa7454e63e431fc726b2dc8' },
      },
    ],
    ['django', { pk: 1, fields: { email: 'a@b.example', password: 'pbkdf2_sha256$many$seasalt2$x' } }],
    ['aspnet', { Id: '1', Email: 'a@b.example', PasswordHash: 'AQAAAAIA' }],
    [
      'keycloak',
      {
        id: '1',
        email: 'a@b.example',
        credentials: [{ type: 'password', secretData: '{', credentialData: '{}' }],
      },
    ],
    ['firebase', { localId: '1', email: 'a@b.example', passwordHash: 'lSrfV15c\0x9', salt: '42xE' }],
  ])('of %s is refused where it is broken: %j', (from, entry) => {
    expect(only(from, entry)).toHaveProperty('problem')
  })

  it('may be missing: Django marks that with an exclamation mark', () => {
    expect(user('django', { pk: 1, fields: { email: 'a@b.example', password: '!kXf' } }).hash).toBe('')
    expect(only('phc', { email: 'a@b.example' })).toMatchObject({ scheme: 'no password' })
  })

  it('has a pepper only with Devise, and where one is configured', () => {
    const password = '$2a$12$abcdefghijklmnopqrstuu8a6wNd.Y5.7OUovFl3VVc9t1Ae2eQtq'
    const devise = { id: 1, email: 'a@b.example', encrypted_password: password }
    expect(user('devise', devise).hash).toBe(`bcrypt_pepper$${password}`)
    expect(user('devise', devise, { pepper: false }).hash).toBe(password)
    expect(user('laravel', { id: 1, email: 'a@b.example', password }).hash).toBe(password)
  })
})

describe('a user of another system', () => {
  it('keeps the id, the address in lower case and the name', () => {
    const { id, email, name, given_name } = user('django', {
      pk: 7,
      fields: { email: 'Ada@Notes.example', password: '!', first_name: 'Ada', last_name: '' },
    })
    expect({ id, email, name, given_name }).toEqual({
      id: '7',
      email: 'ada@notes.example',
      name: 'Ada',
      given_name: 'Ada',
    })
    expect(user('auth0', { _id: { $oid: '5f' }, email: 'a@b.example' })).toMatchObject({
      id: 'auth0|5f',
      name: 'a@b.example',
    })
  })

  it.each([
    [true, true, true],
    [true, null, true],
    [true, undefined, true],
    [true, false, false],
    [false, true, false],
  ])('has a verified address with the option %s and the mark %s: %s', (emailsVerified, mark, verified) => {
    const entry = { email: 'a@b.example', email_verified: mark }
    expect(user('phc', entry, { emailsVerified }).email_verified).toBe(verified)
  })

  it('of Laravel and Devise has none before the time of its confirmation', () => {
    const emailsVerified = true
    const laravel = { id: 1, email: 'a@b.example', email_verified_at: null }
    expect(user('laravel', laravel, { emailsVerified }).email_verified).toBe(false)
    const devise = { id: 1, email: 'a@b.example', confirmed_at: '2024-05-01' }
    expect(user('devise', devise, { emailsVerified }).email_verified).toBe(true)
  })

  it.each<readonly [Source, object, string]>([
    ['keycloak', { id: '1', email: 'a@b.example', enabled: false }, 'is disabled there'],
    ['django', { pk: 1, fields: { email: 'a@b.example', is_active: false } }, 'is disabled there'],
    ['phc', { id: 'with a space', email: 'a@b.example' }, 'id: must be'],
    ['phc', { id: '1', email: 'no address' }, 'email'],
    ['phc', { id: '1' }, 'email'],
    ['phc', [], 'expected object'],
  ])('of %s is refused: %j', (from, entry, problem) => {
    expect(only(from, entry)).toEqual({ place: 'user 1', problem: expect.stringContaining(problem) })
  })
})

describe('the file', () => {
  const places = (text: string) => entries('phc', text).map(({ place }) => place)
  const LINE = '{"email":"a@b.example"}'

  it('has a user on each line, an array, or an object with users', () => {
    expect(places(`${LINE}\n\n${LINE}\n`)).toEqual(['line 1', 'line 3'])
    expect(places(LINE)).toEqual(['line 1'])
    expect(places(`[${LINE},\n${LINE}]`)).toEqual(['user 1', 'user 2'])
    expect(places(`{\n"realm": "notes", "users": [${LINE}] }`)).toEqual(['user 1'])
    expect(places(`{"users": [${LINE}]}`)).toEqual(['user 1'])
  })

  it('names a line that is broken', () => {
    expect(entries('phc', `${LINE}\n{"email":`)[1]).toEqual({ place: 'line 2', problem: 'is not JSON' })
  })

  it.each([
    ['', 'users.json is not JSON'],
    ['email,password\n', 'users.json is not JSON'],
    ['7', 'users.json has no users'],
  ])('is refused where it has no users: %j', (text, problem) => {
    expect(() => entries('phc', text)).toThrow(problem)
  })
})

it('the hash parameters of Firebase are named where one is missing', () => {
  expect(() => firebaseHashConfig('config.txt', 'base64_signer_key: AA==')).toThrow(
    'config.txt has no base64_salt_separator',
  )
})

/** A hash with these parameters. */
function phc(costs: string): string {
  return `$argon2id$v=19$${costs}$AAECAwQFBgcICQoLDA0ODw$quyusfeeuAGbpiw09i+j4VKJ+I/5h3mugd4HghmS/x8`
}
