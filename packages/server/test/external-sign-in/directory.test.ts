import { CIBA_GRANT } from '@grantkit/core/backchannel-authentication'
import { formBrowser, testClient } from '@grantkit/testkit/client'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { AccountRows } from '../../src/accounts/account-rows.ts'
import { directoryAccounts, type ImportedUsers } from '../../src/accounts/users/users.ts'
import { type DirectoryOptions, directory } from '../../src/config/users.ts'
import { serverWithUsers } from './server-with-users.ts'
import { visitor } from './visitor.ts'

/** A directory with one user, and a client whose user types her name and password. */
async function open(change: Partial<DirectoryOptions> = {}) {
  const people = new Map([
    ['u-7', { sub: 'u-7', name: 'Alice', email: 'alice@corp.example', email_verified: true }],
  ])
  const options: DirectoryOptions = {
    find: async (sub) => people.get(sub),
    verifyPassword: async (login, password) => (password === `${login}'s` ? people.get('u-7') : undefined),
    ...change,
  }
  const server = await serverWithUsers(() => directory(options))
  const typed = { email: 'alice', password: "alice's" }
  const browser = formBrowser({ origin: server.baseUrl, typed })
  return { server, people, client: await testClient(server.baseUrl, { browser }) }
}

it('a user of the directory signs in by a name, and is the subject by the id of the directory', async () => {
  const { server, client } = await open()
  const { access_token } = await client.tokens('openid profile email')
  const headers = { authorization: `Bearer ${access_token}` }
  const claims = await (await fetch(`${server.baseUrl}/api/oauth/userinfo`, { headers })).json()
  expect(claims).toEqual({ sub: 'u-7', name: 'Alice', email: 'alice@corp.example', email_verified: true })
})

it.each(['Alice@Corp.example', 'alice@corp.example'])(
  'an agent finds the user of a directory whose id is an address: %s',
  async (id) => {
    const user = { sub: id, name: 'Alice' }
    const people = { find: async () => user, verifyPassword: async () => user }
    const server = await serverWithUsers(() => directory(people), { BACKCHANNEL_AUTHENTICATION: 'on' })
    const typed = { email: 'alice', password: 'x' }
    const browser = formBrowser({ origin: server.baseUrl, typed })
    await (await testClient(server.baseUrl, { browser })).tokens('openid')
    const metadata = { clientName: 'Agent', redirectUris: [], grantTypes: [CIBA_GRANT] }
    const agent = await server.clients.add(metadata)
    const { clientId: client_id, clientSecret: client_secret = '' } = agent
    const body = new URLSearchParams({ client_id, client_secret, scope: 'openid', login_hint: id })
    await fetch(`${server.baseUrl}/api/oauth/bc-authorize`, { method: 'POST', body })
    const requested = { type: 'backchannel_requested', clientId: client_id, subject: id }
    expect(server.events).toContainEqual(expect.objectContaining(requested))
  },
)

it('a wrong password signs nobody in', async () => {
  const { client } = await open({ verifyPassword: async () => undefined })
  await expect(client.approve('notes:read')).rejects.toThrow('The sign-in page comes again')
})

it('claims are those that the directory has now, and a user who has left loses the grants', async () => {
  const { server, people, client } = await open()
  const { access_token, refresh_token = '' } = await client.tokens('openid profile')
  people.set('u-7', { sub: 'u-7', name: 'Alice Moore', email: '', email_verified: false })
  const headers = { authorization: `Bearer ${access_token}` }
  const claims = await (await fetch(`${server.baseUrl}/api/oauth/userinfo`, { headers })).json()
  expect(claims).toEqual({ sub: 'u-7', name: 'Alice Moore' })
  people.clear()
  expect((await client.refresh(refresh_token)).error).toBe('invalid_grant')
})

it('a directory that fails is no answer: no grant ends', async () => {
  let outage = false
  const alice = { sub: 'u-7', name: 'Alice' }
  const { client, server } = await open({
    async find() {
      if (outage) throw new Error('The directory is down')
      return alice
    },
    async verifyPassword() {
      if (outage) throw new Error('The directory is down')
      return alice
    },
  })
  const { refresh_token = '' } = await client.tokens('notes:read')
  outage = true
  expect((await client.refresh(refresh_token)).response.status).toBe(503)
  const visit = visitor(server.baseUrl)
  const token = /name="token" value="([^"]+)"/.exec((await visit('/login')).body)?.[1] ?? ''
  const tried = await visit('/login', { token, email: 'alice', password: 'x' })
  expect(tried.status).toBe(503)
  outage = false
  expect((await client.refresh(refresh_token)).response.status).toBe(200)
})

it('users whose login hangs stop no sign-in of others', async () => {
  const answer = Promise.withResolvers<undefined>()
  const allHang = Promise.withResolvers<void>()
  let hanging = 0
  const alice = { sub: 'u-7', name: 'Alice' }
  const { client, server } = await open({
    find: async () => alice,
    async verifyPassword(login) {
      if (login === 'alice') return alice
      if (++hanging === 60) allHang.resolve()
      return answer.promise
    },
  })
  const visit = visitor(server.baseUrl)
  const token = /name="token" value="([^"]+)"/.exec((await visit('/login')).body)?.[1] ?? ''
  const others = Array.from({ length: 60 }, (_, n) =>
    visit('/login', { token, email: `${n}@corp.example`, password: 'x' }),
  )
  await allHang.promise
  expect(await client.tokens('notes:read')).toHaveProperty('access_token')
  answer.resolve(undefined)
  expect(new Set((await Promise.all(others)).map(({ status }) => status))).toEqual(new Set([401]))
})

it.each([
  ['find', (accounts: AccountRows) => accounts.find('u-7')],
  ['find for claims', (accounts: AccountRows) => accounts.claims('u-7')],
  ['verifyPassword', (accounts: AccountRows) => accounts.verify('alice', 'x')],
])('%s is temporarily unavailable without a response of the directory in five seconds', async (_, ask) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const never = () => new Promise<never>(() => {})
  const rows = { find: async () => ({}), claims: async () => ({}) } as unknown as AccountRows
  const accounts = directoryAccounts(rows, {} as ImportedUsers, { find: never, verifyPassword: never })
  const refused = expect(ask(accounts)).rejects.toMatchObject({ error: 'temporarily_unavailable' })
  await vi.advanceTimersByTimeAsync(5000)
  await refused
})

it('no claim of the directory changes the account', async () => {
  const mallory = { sub: 'u-7', id: 'u-1', sessionEpoch: 9, password: 'x', name: 'Mallory' }
  const { server, client } = await open({ find: async () => mallory, verifyPassword: async () => mallory })
  await client.approve('notes:read')
  const account = await server.accounts.find('u-7')
  expect(account).toMatchObject({ id: 'u-7', password: '' })
  expect(account?.sessionEpoch).not.toBe(9)
})

it('the directory needs both functions', () => {
  const broken = { find: async () => undefined } as unknown as DirectoryOptions
  expect(() => directory(broken)).toThrow(
    'users: verifyPassword of directory must be a function, not undefined',
  )
})
