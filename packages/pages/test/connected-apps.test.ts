import { createMemoryStore } from '@grantkit/store-memory'
import type { TestClient } from '@grantkit/testkit/client'
import { describe, expect, it, vi } from 'vitest'
import {
  type ConnectedAppsOptions,
  type ConnectedAppsView,
  connectedApps,
  type InstallationNames,
} from '../src/connected-apps/connected-apps.ts'
import { connected, GERMAN, type Overrides, openService, SCOPE, type Service } from './apps-service.ts'

const PATH = '/connected-apps'

/** The service, where users see their apps. Alice has the same session all the time. */
function openWithApps(options?: ConnectedAppsOptions, overrides: Overrides = {}) {
  const shown: ConnectedAppsView[] = []
  const feature = connectedApps(
    {
      connectedAppsPage(view) {
        shown.push(view)
        return { status: 200, headers: { 'content-type': 'text/html' }, body: 'apps' }
      },
    },
    options,
  )
  const service = openService({ features: [feature], ...overrides })
  const cookie = 'user=alice@1800000000'
  const open = async (address = PATH, as = cookie, more = {}) => {
    const [path = '', query = ''] = address.split('?')
    const answer = await service.send('GET', path, { query, headers: { cookie: as, ...more } })
    return { ...answer, view: shown.at(-1) as ConnectedAppsView }
  }
  const post = async (
    action: 'disconnect' | 'name',
    form: Record<string, string>,
    { view = shown.at(-1) as ConnectedAppsView, as = cookie, headers = {} } = {},
  ) => {
    const [path = '', query = ''] = view.actions[action].split('?')
    const whole = { ticket: view.ticket, ...form }
    const answer = await service.send('POST', path, {
      query,
      form: whole,
      headers: { cookie: as, ...headers },
    })
    return { ...answer, location: String(answer.headers.location), view: shown.at(-1) as ConnectedAppsView }
  }
  return { service, cookie, open, post }
}

type Opened = ReturnType<typeof openWithApps>

async function connect({ service }: Opened, name = 'Editor', cookie = 'user=alice', known?: TestClient) {
  const { client, token } = await connected(service, name, cookie, known)
  return { client, installation: client.clientId, token }
}

/** Adds grants like the one of `installation`. */
async function addGrants(
  { store }: Service,
  installation: string,
  all: { id: string; clientId?: string; age?: number }[],
) {
  const { grants } = await store.grants.list({ subject: 'alice' }, { limit: 9 })
  const grant = grants.find(({ clientId }) => clientId === installation)
  if (grant === undefined) throw new Error(`There is no grant of ${installation}`)
  for (const { id, age = 0, ...more } of all) {
    const createdAt = grant.createdAt - age
    await store.grants.insert(
      id,
      { ...grant, ...more, id: id as typeof grant.id, createdAt },
      grant.expiresAt,
    )
  }
}

const namesIn = ({ apps }: ConnectedAppsView) => apps.map(({ called, name }) => called ?? name)

describe('the page of connected apps', () => {
  it('shows the apps of its user alone, with the safe headers of a page', async () => {
    const opened = openWithApps()
    const { client } = await connect(opened)
    await connect(opened, 'Of Bob', 'user=bob')
    const { status, headers, view } = await opened.open()
    expect([status, headers['x-frame-options'], headers['cache-control']]).toEqual([200, 'DENY', 'no-store'])
    expect(view).toMatchObject({
      session: { subject: 'alice' },
      apps: [
        {
          ...{ installation: client.clientId, name: 'Editor', called: undefined, origin: 'registered' },
          scopes: [{ name: 'profile' }, { name: 'courses:read', description: 'See courses' }],
        },
      ],
      actions: { disconnect: `${PATH}/disconnect`, name: `${PATH}/name` },
      ...{ returnTo: PATH, expired: false },
    })
    expect([view.next, view.first, view.notice]).toEqual([undefined, undefined, undefined])
  })

  it('asks a browser without a session to sign in, and to come back to the same page', async () => {
    const { service } = openWithApps()
    const answers = [
      await service.send('GET', PATH, { query: 'after=x&notice=y' }),
      await service.send('POST', `${PATH}/name`, {
        query: 'after=x',
        form: { ticket: 't', installation: 'i' },
      }),
    ]
    expect(answers.map(({ headers }) => headers.location)).toEqual(['/login', '/login'])
    expect(service.shown.signIn).toBe(`${PATH}?after=x`)
  })

  it('has a configurable path below the issuer', async () => {
    const issuer = 'https://server.example/tenant'
    const { service } = openWithApps({ path: '/me/apps' }, { issuer, resources: [issuer] })
    const paths = service.server.routes.map(({ path }) => path).filter((path) => path.includes('/me/'))
    expect(paths).toEqual(['/tenant/me/apps', '/tenant/me/apps/disconnect', '/tenant/me/apps/name'])
  })

  it('has pages, and reads one page of grants for each', async () => {
    const opened = openWithApps()
    const { installation } = await connect(opened)
    const many = Array.from({ length: 120 }, (_, age) => ({
      id: `grant-${age}`,
      clientId: `app-${age}`,
      age,
    }))
    await addGrants(opened.service, installation, many)
    const read = vi.spyOn(opened.service.store.grants, 'list')
    const sizes: number[] = []
    let next: string | undefined = PATH
    while (next !== undefined) {
      const { view } = await opened.open(next)
      expect(view.first).toBe(next === PATH ? undefined : PATH)
      sizes.push(view.apps.length)
      next = view.next
    }
    expect([sizes, read.mock.calls.length]).toEqual([[50, 50, 21], 3])
  })
})

describe('the page of connected apps in several languages', () => {
  it('has the language of the browser, and the texts of scopes in it', async () => {
    const opened = openWithApps()
    await connect(opened)
    const interaction = { uiLocales: ['en', 'de'] }
    const scopes = { 'courses:read': { description: { en: 'See courses', de: 'Kurse ansehen' } } }
    const { open } = openWithApps(undefined, {
      store: opened.service.store,
      interaction,
      scopes,
    })
    const { view } = await open(PATH, opened.cookie, { 'accept-language': 'de-AT' })
    expect([view.locale, view.apps[0]?.scopes]).toMatchObject(['de', [{ description: 'Kurse ansehen' }]])
    expect((await open()).view.apps[0]?.scopes).toMatchObject([{ description: 'See courses' }])
  })

  it('has it on the sign-in page and on an error page too', async () => {
    const { service, open, post } = openWithApps(undefined, {
      interaction: { uiLocales: ['en', 'de'] },
    })
    const request = { headers: GERMAN }
    await open(PATH, '', GERMAN)
    expect(service.shown).toMatchObject({ signInHint: { locale: 'de', request } })
    const { view } = await open(PATH, undefined, GERMAN)
    expect(view).toMatchObject({ locale: 'de', request })
    await post('disconnect', {}, { headers: GERMAN })
    expect(service.shown).toMatchObject({ error: { locale: 'de', request } })
  })
})

describe('disconnecting an app', () => {
  it('ends its tokens, and the next page says so to this session for a minute', async () => {
    const opened = openWithApps()
    const { service, post, open } = opened
    const [app, other] = [await connect(opened), await connect(opened, 'Player')]
    await open()
    const { status, location } = await post('disconnect', { installation: app.installation })
    expect([status, await service.isLive(app.token), await service.isLive(other.token)]).toEqual([
      303,
      false,
      true,
    ])
    expect((await open(location)).view).toMatchObject({
      notice: { change: 'disconnected', app: 'Editor' },
      apps: [{ name: 'Player' }],
    })
    expect(service.events.filter(({ type }) => type === 'grant_revoked')).toMatchObject([
      { clientId: app.client.clientId, subject: 'alice', by: 'user' },
    ])
    expect((await open(`${location}A`)).view.notice).toBeUndefined()
    expect((await open(location, 'user=alice@1800000001')).view.notice).toBeUndefined()
    service.clock.now += 60
    expect((await open(location)).view.notice).toBeUndefined()
  })

  it('ends every grant that its issuer allowed by an assertion', async () => {
    const opened = openWithApps()
    const { service, open, post } = opened
    const { installation } = await connect(opened)
    const asserted = {
      ...{ clientId: 'assistant', origin: 'assertion', age: 9 },
      authority: { issuer: 'https://acme.example', subject: 'U1' },
    }
    await addGrants(service, installation, [
      { ...asserted, id: 'first' },
      { ...asserted, id: 'second' },
    ])
    const { view } = await open()
    expect(view.apps).toMatchObject([
      { installation },
      { installation: 'assistant', allowedBy: 'https://acme.example' },
    ])
    await post('disconnect', { installation: 'assistant' })
    expect((await service.server.grants.list('alice')).grants).toMatchObject([{ clientId: installation }])
  })

  it('sent twice is no error', async () => {
    const opened = openWithApps()
    const { installation } = await connect(opened)
    await opened.open()
    await opened.post('disconnect', { installation })
    const { status, location } = await opened.post('disconnect', { installation })
    expect([status, location]).toEqual([303, PATH])
  })

  it('ends its grants on other pages too, but not its devices, which are apps of their own', async () => {
    const opened = openWithApps()
    const { service, open, post } = opened
    const { installation } = await connect(opened)
    const more = Array.from({ length: 120 }, (_, age) => ({ id: `grant-${age}`, age }))
    await addGrants(service, installation, [
      ...more,
      { id: 'device-grant', origin: 'device', age: 200 } as { id: string },
    ])
    await open()
    await post('disconnect', { installation })
    const left = await service.server.grants.list('alice')
    expect(left.grants.map(({ id }) => id)).toEqual(['device-grant'])
  })

  it('with all its installations ends their grants on every page, and no grant of another app', async () => {
    const opened = openWithApps()
    const { service, open, post } = opened
    const { installation } = await connect(opened)
    const [again, other] = [await connect(opened), await connect(opened, 'Player')]
    const more = Array.from({ length: 120 }, (_, age) => ({ id: `grant-${age}`, age: age + 1 }))
    await addGrants(service, installation, [
      ...more,
      { id: 'device-grant', origin: 'device', age: 200 } as { id: string },
    ])
    await open()
    await post('name', { installation: again.installation, name: 'Old laptop' })
    const { location } = await post('disconnect', { installation, all: '1' })
    expect((await open(location)).view.notice).toEqual({ change: 'disconnected', app: 'Editor' })
    const left = await service.server.grants.list('alice')
    expect(left.grants.map(({ clientId }) => clientId)).toEqual([other.client.clientId])
  })

  it('with all its installations ends those that only other pages list', async () => {
    const opened = openWithApps()
    const { service, open, post } = opened
    await connect(opened)
    service.clock.now += 100
    const { installation: player } = await connect(opened, 'Player')
    const many = Array.from({ length: 60 }, (_, age) => ({ id: `grant-${age}`, age }))
    await addGrants(service, player, many)
    service.clock.now += 1
    const { installation } = await connect(opened)
    await open()
    await post('disconnect', { installation, all: '1' })
    const { grants } = await service.server.grants.list('alice', { limit: 200 })
    expect([...new Set(grants.map(({ clientId }) => clientId))]).toEqual([player])
  })

  it('finds an app that a new grant has moved to the next page, and returns to the same page', async () => {
    const opened = openWithApps()
    const { service, open, post } = opened
    const { installation } = await connect(opened)
    const clients = Array.from({ length: 120 }, (_, age) => ({
      id: `grant-${age}`,
      clientId: `app-${age}`,
      age,
    }))
    await addGrants(service, installation, clients)
    const first = (await open()).view
    const { view } = await open(first.next)
    const moved = String(view.apps.at(-1)?.installation)
    const { location } = await post('disconnect', { installation: moved }, { view: first })
    expect(location).toMatch(/^\/connected-apps\?notice=/)
    expect((await open(first.next)).view.apps.map(({ installation }) => installation)).not.toContain(moved)
    const last = await post('disconnect', { installation: 'app-60' }, { view })
    expect(last.location).toContain(`${first.next}&notice=`)
  })

  it('changes no app of another user', async () => {
    const opened = openWithApps()
    const theirs = await connect(opened, 'Of Bob', 'user=bob')
    await opened.open()
    const { location } = await opened.post('disconnect', { installation: theirs.installation })
    expect([location, await opened.service.isLive(theirs.token)]).toEqual([PATH, true])
  })
})

describe('a form of the page', () => {
  it.each(['disconnect', 'name'] as const)(
    'to %s changes nothing after an hour, in another session or with a forged ticket, and the page shows that',
    async (action) => {
      const opened = openWithApps()
      const { service, open, post, cookie } = opened
      const { installation, token } = await connect(opened)
      const form = { installation, name: 'Evil' }
      const { view } = await open()
      const answers = [
        await post(action, { ...form, ticket: `${view.ticket}x` }),
        await post(action, form, { view, as: 'user=alice@1' }),
        await post(action, form, { view, as: 'user=bob' }),
      ]
      service.clock.now += 3600
      answers.push(await post(action, form, { view, as: cookie }))
      for (const { status, view } of answers) expect([status, view.expired]).toEqual([400, true])
      const now = (await open()).view
      expect([namesIn(now), now.expired, token]).toEqual([['Editor'], false, token])
    },
  )

  it('with a valid ticket is rejected from another site', async () => {
    const opened = openWithApps()
    const { installation, token } = await connect(opened)
    await opened.open()
    const headers = { origin: 'https://evil.example' }
    const { status, body } = await opened.post('disconnect', { installation }, { headers })
    expect([status, body, await opened.service.isLive(token)]).toEqual([403, 'form_of_another_site', true])
  })
})

describe('the name that a user gives an app', () => {
  it('is shown instead of the registered name, until it is removed', async () => {
    const opened = openWithApps()
    const { open, post } = opened
    const { installation } = await connect(opened)
    await open()
    const { location } = await post('name', { installation, name: ' Old\u202e laptop ' })
    expect((await open(location)).view).toMatchObject({
      apps: [{ name: 'Editor', called: 'Old laptop' }],
      notice: { change: 'named', app: 'Old laptop' },
    })
    await post('name', { installation, name: 'New laptop' })
    expect(namesIn((await open()).view)).toEqual(['New laptop'])
    const back = await post('name', { installation, name: ' ' })
    expect((await open(back.location)).view).toMatchObject({
      apps: [{ called: undefined }],
      notice: { change: 'named', app: 'Editor' },
    })
  })

  it('has at most 60 characters, and ends with a whole character', async () => {
    const opened = openWithApps()
    const { installation } = await connect(opened)
    await opened.open()
    await opened.post('name', { installation, name: '🦊'.repeat(61) })
    expect(namesIn((await opened.open()).view)).toEqual(['🦊'.repeat(60)])
  })

  it('is forgotten with the app, and is not set for another user or an unknown app', async () => {
    const opened = openWithApps()
    const { open, post } = opened
    const [{ installation, client }, bobs] = [
      await connect(opened),
      await connect(opened, 'Of Bob', 'user=bob'),
    ]
    await open()
    await post('name', { installation, name: 'Old laptop' })
    await post('name', { installation: bobs.installation, name: 'Evil' })
    await post('disconnect', { installation })
    await post('name', { installation, name: 'Gone' })
    await client.tokens(SCOPE)
    expect(namesIn((await open()).view)).toEqual(['Editor'])
    expect(namesIn((await open(PATH, 'user=bob')).view)).toEqual(['Of Bob'])
  })

  it('is kept for the lifetime of a grant after it was set', async () => {
    const lifetimes = { grant: 1000, refreshToken: 1000 }
    const opened = openWithApps(undefined, { lifetimes })
    const { service, open, post } = opened
    const { installation, client } = await connect(opened)
    service.clock.now += 500
    await open()
    await post('name', { installation, name: 'Old laptop' })
    service.clock.now += 400
    await client.tokens(SCOPE)
    service.clock.now += 599
    expect(namesIn((await open()).view)).toEqual(['Old laptop'])
    service.clock.now += 1
    expect(namesIn((await open()).view)).toEqual(['Editor'])
  })

  it('stays when the client is removed', async () => {
    const opened = openWithApps()
    const { service, open, post } = opened
    const { installation } = await connect(opened)
    await open()
    await post('name', { installation, name: 'Old laptop' })
    await service.store.clients.remove(installation)
    expect((await open()).view.apps).toMatchObject([
      { called: 'Old laptop', name: undefined, origin: undefined },
    ])
  })

  it('is not what another user of the same client sees', async () => {
    const opened = openWithApps()
    const { open, post } = opened
    const { installation, client } = await connect(opened)
    await connect(opened, 'Editor', 'user=bob', client)
    await open()
    await post('name', { installation, name: 'Old laptop' })
    expect(namesIn((await open(PATH, 'user=bob')).view)).toEqual(['Editor'])
  })

  it('is kept by `names`, if the application has its own', async () => {
    const calls: unknown[] = []
    const names: InstallationNames = {
      of: async () => new Map([['unknown', 'x']]),
      give: async (...input) => void calls.push(input),
      forget: async (...input) => void calls.push(input),
    }
    const { transients: _, ...store } = createMemoryStore()
    const opened = openWithApps({ names }, { store })
    const { installation } = await connect(opened)
    await opened.open()
    await opened.post('name', { installation, name: 'Old laptop' })
    await opened.post('disconnect', { installation })
    expect(calls).toEqual([
      ['alice', installation, 'Old laptop', opened.service.clock.now + 180 * 24 * 3600],
      ['alice', installation],
    ])
  })

  it('needs a store with transients without `names`, which the error says', () => {
    const { transients: _, ...store } = createMemoryStore()
    expect(() => openWithApps(undefined, { store })).toThrow(
      'connectedApps: the store has no transients, so `names` must be set',
    )
  })
})
