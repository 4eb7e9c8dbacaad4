import { userInfo } from 'node:os'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../src/config/config.ts'
import { externalSignIn } from '../src/config/users.ts'
import { THEO } from './people.ts'
import { ranCommand } from './ran-command.ts'
import { type RunningServer, runServer, WITH_API } from './running-server.ts'
import { type SignedIn, signedIn } from './signed-in-browser.ts'

/** The functions of the operator's view, as commands in the process of a running server. */

const ZAP = { clientName: 'Zap', redirectUris: ['https://zap.example/cb'] }

let server: RunningServer
beforeAll(async () => {
  server = await runServer({}, {}, WITH_API)
})
afterAll(() => server.close())

/** What a command prints, or what it says of errors. */
async function printedBy(...words: string[]) {
  const { status, output, errors } = await ranCommand(server, words)
  return { status, output: output || errors }
}

async function jsonOf(...words: string[]) {
  const { status, output } = await printedBy(...words, '--json')
  expect(status, output).toBe(0)
  const lines = output.split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}

const call = async (token: string) =>
  (await fetch(`${server.baseUrl}/api/notes`, { headers: { authorization: `Bearer ${token}` } })).status

describe('clients', () => {
  it('lists every client, or the clients of one origin', async () => {
    const app = await signedIn(server.baseUrl, 'notes:read', undefined, 'demo', 'Red')
    const { clientId: client_id } = await server.clients.add(ZAP)
    const { output } = await printedBy('clients', 'list')
    expect(output).toMatch(new RegExp(`${app.client_id}.*registered.*Red`))
    expect(output).toContain(client_id)
    expect(await jsonOf('clients', 'list', '--origin', 'integration')).toMatchObject([{ client_id }])
  })

  it('marks clients with optional PKCE', async () => {
    const { clientId: client_id } = await server.clients.add({
      ...ZAP,
      clientName: 'Old portal',
      pkceOptional: true,
    })
    const { output } = await printedBy('clients', 'list', '--origin', 'integration')
    const marked = output.split('\n').filter((line) => line.includes('may leave out PKCE'))
    expect(marked).toEqual([expect.stringContaining(client_id)])
  })

  it('shows one without its secret', async () => {
    const { clientId: client_id } = await server.clients.add(ZAP)
    const { output } = await printedBy('clients', 'show', client_id)
    expect(output).toMatch(/https:\/\/zap\.example\/cb/)
    expect(output + JSON.stringify(await jsonOf('clients', 'show', client_id))).not.toMatch(/secret_?hash/i)
  })

  it('gives one a new secret, changes it, and the trail names the operator', async () => {
    const { clientId, clientSecret } = await server.clients.add({ ...ZAP, scopes: ['notes:read'] })
    const takes = async (secret = '') => {
      const body = new URLSearchParams({ token: 'x', client_id: clientId, client_secret: secret })
      return (await fetch(`${server.baseUrl}/api/oauth/introspect`, { method: 'POST', body })).ok
    }
    const ends = ['--overlap-days', '7', '--expires-in-days', '365']
    const rotated = await printedBy('clients', 'rotate', clientId, ...ends, '--json')
    const { client_secret } = JSON.parse(rotated.output)
    expect([await takes(clientSecret), await takes(client_secret)]).toEqual([true, true])
    const again = await printedBy('clients', 'rotate', clientId)
    expect([again.status, again.output]).toEqual([
      1,
      expect.stringContaining('Two secrets of this client are live'),
    ])
    expect((await printedBy('clients', 'drop-old-secret', clientId)).output).toBe(
      'The older secret has ended.',
    )
    expect([await takes(clientSecret), await takes(client_secret)]).toEqual([false, true])
    const tooLong = await printedBy('clients', 'rotate', clientId, '--overlap-days', '31')
    expect([tooLong.status, tooLong.output]).toEqual([2, expect.stringContaining('at most 30')])
    const update = (...options: string[]) => printedBy('clients', 'update', clientId, ...options)
    const uris = ['https://zap.example/a', 'https://zap.example/b']
    const redirects = uris.flatMap((uri) => ['--redirect-uri', uri])
    await update('--name', 'Zip', ...redirects, '--unset', 'scopes', '--remember-consent')
    const [shown] = await jsonOf('clients', 'show', clientId)
    expect(shown).toMatchObject({ client_name: 'Zip', redirect_uris: uris, remember_consent: true })
    expect(shown).not.toHaveProperty('scopes')
    expect((await update('--unset', 'clientId')).output).toContain('no member that can be changed')
    expect((await update()).status).toBe(2)
    const trail = await printedBy('trail', 'export', '--client', clientId, '--type', 'client_changed')
    const members = ['scopes', 'clientName', 'redirectUris', 'rememberConsent']
    expect(JSON.parse(trail.output)).toMatchObject({ actor: `command:${userInfo().username}`, members })
    expect(JSON.parse(trail.output)).toMatchObject({ after: { scopes: null, redirectUris: uris } })
  })

  it('removes one with its grants, and the trail names the operator', async () => {
    const app = await signedIn(server.baseUrl, 'notes:read')
    expect(await call(app.access_token)).toBe(200)
    const { output } = await printedBy('clients', 'remove', app.client_id)
    expect(output).toBe('Removed. 1 grant ended with it.')
    expect(await call(app.access_token)).toBe(401)
    const again = await printedBy('clients', 'show', app.client_id)
    expect([again.status, again.output]).toEqual([1, expect.stringContaining('There is no client')])
    const consents = ['trail', 'list', '--type', 'consent_granted', '--client', app.client_id]
    const listed = async () => (await printedBy(...consents)).output
    // The server writes its trail after it has answered.
    await expect.poll(listed).toContain('scopes notes:read  network ')
    const trail = await printedBy('trail', 'export', '--type', 'client_removed')
    expect(JSON.parse(trail.output)).toMatchObject({ actor: `command:${userInfo().username}` })
  })
})

describe('grants', () => {
  const teachersApp = () => signedIn(server.baseUrl, 'notes:read', undefined, 'teacher')

  it('lists the grants of a user, and revokes one', async () => {
    const [app, other] = [await teachersApp(), await teachersApp()]
    const grants = await jsonOf('grants', 'list', 'Teacher@example.com')
    const { id } = grants.find(({ clientId }) => clientId === app.client_id)
    expect(grants.map(({ clientId }) => clientId)).toContain(other.client_id)
    const { output } = await printedBy('grants', 'revoke', 'teacher-account', id)
    expect(output).toBe('1 grant has ended.')
    expect([await call(app.access_token), await call(other.access_token)]).toEqual([401, 200])
    expect((await printedBy('grants', 'revoke', 'teacher-account', id)).status).toBe(1)
  })

  it.each(['-rA7CR1thSc0123456789_', '--A7CR1thSc0123456789_'])(
    'does not parse the id %s as an option',
    async (id) => {
      const { status, output } = await printedBy('grants', 'revoke', 'teacher@example.com', id)
      expect([status, output]).toEqual([1, expect.stringContaining(`This user has no grant ${id}.`)])
    },
  )

  it('revokes all grants of a user', async () => {
    const app = await teachersApp()
    const { output } = await printedBy('grants', 'revoke', 'teacher@example.com', '--all')
    expect([output, await call(app.access_token)]).toEqual([expect.stringMatching(/ ended\.$/), 401])
    const left = await printedBy('grants', 'list', 'teacher@example.com')
    expect(left.output).toBe('There are no grants.')
  })
})

describe('users', () => {
  it('of an application get no account and no password here, with which nobody could sign in', async () => {
    const users = externalSignIn({ url: 'https://app.example/sign-in', key: 'k'.repeat(43) })
    const elsewhere = { config: { ...server.config, users } }
    for (const words of [
      ['add', '--email', 'zoe@x.example', '--name', 'Zoe'],
      ['password', 'teacher@example.com'],
    ]) {
      const { status, errors } = await ranCommand(elsewhere, ['users', ...words], 'a long password')
      expect([status, errors]).toEqual([1, expect.stringContaining('has the users of this server')])
    }
    expect(await server.directory.withEmail('zoe@x.example')).toBeUndefined()
  })

  const statusOfPage = async (cookie: string) =>
    (await fetch(`${server.baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })).status
  const statusOfRefresh = async ({ client_id, refresh_token }: SignedIn) => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token })
    return (await fetch(`${server.baseUrl}/api/oauth/token`, { method: 'POST', body })).status
  }

  it('sign-out ends one session, which the list names', async () => {
    const cookies = [1, 2].map(() => sessionCookie(server.baseUrl, 'teacher@example.com', 'teacher'))
    const [first = '', second = ''] = await Promise.all(cookies)
    const [{ id }] = await jsonOf('users', 'sessions', 'teacher@example.com')
    const end = () => printedBy('users', 'sign-out', 'teacher@example.com', '--session', id)
    expect(await end()).toMatchObject({ status: 0, output: expect.stringContaining('that browser') })
    const statuses = [await statusOfPage(first), await statusOfPage(second)]
    expect(statuses.sort()).toEqual([200, 303])
    expect(await end()).toMatchObject({ status: 1, output: expect.stringContaining('no such session') })
  })

  it.each(['disable', 'remove'])(
    '%s ends sessions and grants of this user at once, and of no other user',
    async (command) => {
      await printedBy('users', 'enable', 'teacher@example.com')
      const app = await signedIn(server.baseUrl, 'notes:read', undefined, 'teacher')
      const others = await signedIn(server.baseUrl, 'notes:read')
      const cookie = await sessionCookie(server.baseUrl, 'teacher@example.com', 'teacher')
      expect([await call(app.access_token), await statusOfPage(cookie)]).toEqual([200, 200])
      const session = { signedInBy: 'password', network: '127.0.0.0/24' }
      expect(await jsonOf('users', 'sessions', 'teacher@example.com')).toContainEqual(
        expect.objectContaining(session),
      )
      const { output } = await printedBy('users', command, 'teacher@example.com')
      expect(output).toBe('Done. 1 grant ended with it.')
      // The access token before the refresh: a refresh would end the grant by itself.
      expect(await call(app.access_token)).toBe(401)
      expect([await statusOfRefresh(app), await statusOfPage(cookie)]).toEqual([400, 303])
      expect(await call(others.access_token)).toBe(200)
    },
  )
})

it('a user without an address is listed without a word of who verified it', async () => {
  // As those of an application, whose id stands in its place.
  await server.accounts.add({ ...THEO, id: 'app-user', email: 'app-user', email_verified: false })
  onTestFinished(async () => void (await server.accounts.remove('app-user')))
  const made = await printedBy('users', 'admin', 'app-user')
  const { output } = await printedBy('users', 'list')
  expect(`${made.output}\n${output}`).toMatch(/^app-user is an admin .*^app-user {2}no address {2}/ms)
  expect(`${made.output}\n${output}`).not.toContain('is verified')
})

describe('a text with terminal control characters', () => {
  const HOSTILE = 'x\u001b[2j\u009b1m\u202e\u200b'
  const ESCAPED = 'x\\u001b[2j\\u009b1m\\u202e\\u200b'

  it('is escaped in the list of accounts, with the same JSON value', async () => {
    const args = ['add', '--email', `${HOSTILE}@school.example`, '--name', `${HOSTILE}\nroot  admin`]
    const add = await ranCommand(server, ['users', ...args], 'a long password')
    expect(add).toMatchObject({ status: 0, output: expect.stringContaining(ESCAPED) })
    const { output } = await printedBy('users', 'list')
    expect(output).toContain(`"${ESCAPED}@school.example"  "${ESCAPED}\\nroot  admin"`)
    const listed = await printedBy('users', 'list', '--json')
    expect(listed.output).toContain(`${ESCAPED}\\nroot`)
    expect(await jsonOf('users', 'list')).toContainEqual(
      expect.objectContaining({ name: `${HOSTILE}\nroot  admin` }),
    )
  })

  it.each([
    ['clients', 'show', HOSTILE],
    ['clients', 'remove', HOSTILE],
    ['users', 'enable', HOSTILE],
    ['grants', 'list', `unknown${HOSTILE}@school.example`],
    ['grants', 'revoke', 'teacher-account', HOSTILE],
  ])('is escaped in the error of %s %s', async (...words) => {
    expect(await printedBy(...words)).toEqual({ status: 1, output: expect.stringContaining(ESCAPED) })
  })
})

describe('overview', () => {
  it('shows that store and database answer, which keys sign, and the numbers of a day', async () => {
    const [overview] = await jsonOf('overview')
    expect(overview).toMatchObject({
      health: { store: { answers: true }, database: { answers: true } },
      keys: expect.arrayContaining([expect.objectContaining({ alg: 'RS256', role: 'signs' })]),
      lastDay: { sign_in_succeeded: expect.any(Number), refused: expect.any(Number) },
    })
    expect(JSON.stringify(overview.keys)).not.toContain('"d"')
    const { output } = await printedBy('overview')
    expect(output).toMatch(/^store +answers in .* ms$/m)
    expect(output, 'the command is another process').toContain('add their numbers once a minute')
  })
})

it.each([
  ['clients', 'list'],
  ['grants', 'list', 'a'],
  ['overview', '--json'],
])('%s %s needs a store that it can share with the server', async (...words) => {
  const config = parseConfig({ environment: { DATABASE_URL: 'memory:' } })
  const { status, errors } = await ranCommand({ config }, words)
  expect([status, errors]).toEqual([1, expect.stringContaining('STORE_URL is memory:')])
})
