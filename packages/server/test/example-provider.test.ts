import { rm } from 'node:fs/promises'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { exampleProvider } from '../src/accounts/upstream/example-provider.ts'
import { type Config, parseConfig } from '../src/config/config.ts'
import type { ServerConfig } from '../src/config/schema.ts'
import { createService } from '../src/service/service.ts'
import { openStorage } from '../src/storage.ts'

const BASE_URL = 'http://127.0.0.1:3000/auth'
const SECRET = 'x'.repeat(32)

function configOf(config: ServerConfig = {}, environment: Record<string, string> = {}): Config {
  return parseConfig({ config: { baseUrl: BASE_URL, database: 'memory:', ...config }, environment })
}

/** A service in the process, and a browser with its cookies. */
async function open(config = configOf({ dataFolder: '/nowhere' })) {
  const folder = await folderInMemory('example')
  const storage = await openStorage(config, () => {}, { definition: {} })
  onTestFinished(async () => {
    await storage.close()
    await rm(folder, { recursive: true })
  })
  const observers = { onEvent: () => {}, onError: () => {} }
  const example = await exampleProvider(config)
  const own = { ...config, dataFolder: folder }
  const { app } = await createService({ definition: {}, config: own, observers, storage, example })
  const cookies = new Map<string, string>()
  return async (path: string, form?: Record<string, string>) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const init = { headers: { cookie }, ...(form && { method: 'POST', body: new URLSearchParams(form) }) }
    const incoming = { socket: { remoteAddress: '127.0.0.1' } }
    const response = await app.request(new URL(path, BASE_URL), init, { incoming })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s)
      cookies.set(name, value)
    }
    const { status, headers } = response
    return { status, location: headers.get('location') ?? '', text: await response.text() }
  }
}

type Browser = Awaited<ReturnType<typeof open>>

/** The address of the page that asks who to be. */
async function atChoice(browser: Browser): Promise<string> {
  const { text } = await browser(`${BASE_URL}/login?return_to=/auth/account`)
  expect(text).toContain('Continue with Example')
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(text) ?? []
  const begun = await browser(`${BASE_URL}/login/with/example`, { token, return_to: '/auth/account' })
  expect(begun.location).toMatch(/^http:\/\/127\.0\.0\.1:3000\/auth\/example-provider\/authorize\?/)
  return begun.location
}

/** What the visitor sees who chose. */
async function after(browser: Browser, choice: string) {
  const { location } = await browser(`${await atChoice(browser)}&as=${choice}`)
  return browser(location)
}

function problemOf(text: string): string | undefined {
  return /role="alert">([^<]*)/.exec(text)?.[1]
}

it('says that it is no real provider, and asks who to be', async () => {
  const browser = await open()
  const { status, text } = await browser(await atChoice(browser))
  expect([status, text]).toEqual([200, expect.stringContaining('This is not a real provider.')])
  const choices = [...text.matchAll(/name="as" value="(\w+)"/g)].map(([, name]) => name)
  expect(choices).toEqual(['grace', 'mallory', 'nobody'])
})

it('signs in a new user, without a request to the network', async () => {
  const network = vi.spyOn(globalThis, 'fetch')
  onTestFinished(() => network.mockRestore())
  const browser = await open()
  const { status, location } = await after(browser, 'grace')
  expect([status, location]).toEqual([303, '/auth/account'])
  expect((await browser(`${BASE_URL}/account`)).text).toContain('grace@example.com')
  expect(network).not.toHaveBeenCalled()
})

it('signs in a user whose address it has not verified, and nobody where the visitor denies it', async () => {
  const browser = await open()
  const nobody = await after(browser, 'nobody')
  expect([nobody.status, problemOf(nobody.text)]).toEqual([
    403,
    'Example did not sign you in. You can try again, or sign in another way.',
  ])
  expect((await after(browser, 'mallory')).location).toBe('/auth/account')
})

it('keeps no session: its user signs out here, and the sign-in page does not say otherwise', async () => {
  const browser = await open()
  await after(browser, 'grace')
  const { status, location } = await browser(`${BASE_URL}/logout`, { return_to: '/auth/account' })
  expect([status, location]).toEqual([303, '/auth/login?return_to=%2Fauth%2Faccount'])
})

it('leads back from a refusal only a user who is signed in', async () => {
  const browser = await open()
  const back = 'Go back without signing in again'
  expect((await after(browser, 'nobody')).text).not.toContain(back)
  const choice = await atChoice(browser)
  await after(browser, 'grace')
  expect((await browser((await browser(`${choice}&as=nobody`)).location)).text).toContain(back)
})

it('leads to the callback of its server alone', async () => {
  const browser = await open()
  const elsewhere = new URLSearchParams({
    redirect_uri: 'https://attacker.example/',
    state: 's',
    as: 'grace',
  })
  const { status, location } = await browser(`${BASE_URL}/example-provider/authorize?${elsewhere}`)
  expect([status, location]).toEqual([400, ''])
})

const PRODUCTION = { SECRET, KEYS_FILE: 'keys.json', DATABASE_URL: 'sqlite:/nowhere' }
const OWN = { label: 'Own', issuer: 'https://op.example', clientId: 'c', clientSecret: SECRET }

describe('it is not offered', () => {
  it.each<readonly [string, Config]>([
    ['in production', configOf({ baseUrl: 'https://auth.example' }, PRODUCTION)],
    [
      'in production at a loopback address',
      { ...configOf({}, { NODE_ENV: 'development' }), mode: 'production' },
    ],
    ['where others reach the port', configOf({}, { HOST: '0.0.0.0' })],
    ['where it is switched off', configOf({}, { EXAMPLE_PROVIDER: 'off' })],
    [
      'next to a provider with its id',
      configOf({ upstream: [{ id: 'example', ...OWN, clientSecret: { env: 'S' } }] }, { S: SECRET }),
    ],
  ])('%s', async (_, config) => {
    expect(await exampleProvider(config)).toBeUndefined()
  })

  it('by a server without it: there is neither its page nor its button', async () => {
    const browser = await open(configOf({ exampleProvider: false }))
    expect((await browser(`${BASE_URL}/login`)).text).not.toContain('Example')
    expect((await browser(`${BASE_URL}/example-provider/authorize`)).status).toBe(404)
  })
})

it('cannot be switched on in production', () => {
  const on = () => configOf({ baseUrl: 'https://auth.example' }, { ...PRODUCTION, EXAMPLE_PROVIDER: 'on' })
  expect(on).toThrow('EXAMPLE_PROVIDER must not be on in production')
})
