import { randomInt, randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { quickHash } from '@grantkit/test-servers/quick-hash'
import { type TestProvider, testProvider } from '@grantkit/testkit/provider'
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { FRAMEWORKS } from '../src/frameworks/frameworks.ts'
import { providerVisitor } from './provider-visitor.ts'
import { DOMAIN, PROVIDER_WALKS } from './provider-walks.ts'
import { type RunningService, runService } from './service.ts'

/**
 * Each provider by six walks of its users, through the real pages on all three frameworks. Doubles play the providers in this
 * process, under their real issuers: by these the server knows some of them. Real browsers walk what depends on them in
 * `packages/server/test/form-post.night.test.ts`.
 */

describe.each(Object.keys(FRAMEWORKS))('on %s', (FRAMEWORK) => {
  let service: RunningService
  let folder: string
  let doubles: ReadonlyMap<string, TestProvider>
  /** The provider of the test: two of them may have one issuer. */
  let op: TestProvider

  beforeAll(async () => {
    const clientSecret = await secretOfApple()
    doubles = new Map(
      PROVIDER_WALKS.map(({ id, plays, change = {} }) => [
        id,
        testProvider({ plays, change, clientKeys: clientSecret.keys }),
      ]),
    )
    const providers = PROVIDER_WALKS.map(({ id, name, plays, settings }) => ({
      ...doubles.get(id)?.settings,
      ...(plays === 'apple' && { clientSecret: { apple: clientSecret.apple } }),
      ...settings,
      ...{ id, label: name, signUp: { emailDomains: [DOMAIN] } },
    }))
    folder = await folderInMemory('providers')
    const UPSTREAM_FILE = join(folder, 'upstream.json')
    await writeFile(UPSTREAM_FILE, JSON.stringify({ providers }))
    service = await runService({ FRAMEWORK, UPSTREAM_FILE })
  })
  afterAll(async () => {
    await service.close()
    await rm(folder, { recursive: true })
  })

  beforeEach(() => {
    const { fetch } = globalThis
    vi.stubGlobal('fetch', (url: string | URL, init: RequestInit) =>
      new URL(url).origin === service.baseUrl ? fetch(url, init) : op.fetch(String(url), init as never),
    )
  })
  afterEach(() => void vi.unstubAllGlobals())

  describe.each(PROVIDER_WALKS)('a user of $name', ({ id, name, claims = {}, needs, proves }) => {
    const [login, account] = [`/login/with/${id}`, '/account']

    /** A user without an account here, in a new browser. */
    function newUser(domain = DOMAIN, more = claims) {
      op = doubles.get(id) ?? expect.unreachable()
      const sub = String(randomInt(2 ** 40))
      const email = `${sub}@${domain}`
      const of = { sub, email, email_verified: true, name: 'Alice', ...more }
      op.user = of
      return { of, email, ...inNewBrowser(), idOf: () => service.accounts.idOf(email) }
    }

    function inNewBrowser() {
      const browser = providerVisitor(service.baseUrl)
      const begin = async (path = '/login?return_to=/account') =>
        browser.submit(await browser.visit(path), login)
      const signIn = async (path?: string) => browser.comeBack(op, await begin(path))
      return { browser, begin, signIn }
    }

    /** The same with an account that has a password, connected with the provider from the account page. */
    async function connectedUser() {
      const user = newUser()
      const own = { id: randomUUID(), email: `${randomUUID()}@school.example` }
      const password = quickHash('horse')
      const more = { email_verified: true, name: 'Alice', updated_at: 0, password }
      await service.accounts.add({ ...own, ...more })
      const page = await user.browser.visit('/login?return_to=/account')
      await user.browser.submit(page, '/login', { email: own.email, password: 'horse' })
      const offered = await user.browser.visit(account)
      const begun = await user.browser.submit(offered, '/account/identities', { provider: id })
      const connected = await user.browser.comeBack(op, begun)
      return { ...user, own, connected }
    }

    const lastEvent = (type: string) => service.events.findLast((event) => event.type === type)
    const arrived = { status: 303, leadsTo: account }

    it(`signs up by the domain${needs ? ` with ${needs}` : ''}, and by no other domain`, async () => {
      const { browser, signIn, email, idOf } = newUser()
      expect(await signIn()).toMatchObject(arrived)
      expect((await browser.visit(account)).text).toContain(`<p class="app-name">${name} <bdi>${email}`)
      const subject = await idOf()
      expect(lastEvent('sign_in_succeeded')).toMatchObject({ subject, signedInBy: `provider ${id}` })
      const outside = { 'of another domain': newUser('other.example') }
      const lacking = Object.keys(claims).length > 0 ? { 'without what it needs': newUser(DOMAIN, {}) } : {}
      for (const [who, user] of Object.entries({ ...outside, ...lacking })) {
        op.user = user.of
        expect(await user.signIn(), who).toMatchObject({ status: 403 })
        const reason = user.email.endsWith(DOMAIN) ? 'email_unverified' : 'domain_not_allowed'
        expect(lastEvent('sign_in_refused'), who).toMatchObject({ reason, provider: id })
        expect(await user.idOf(), who).toBeUndefined()
      }
    })

    it('comes to the same account the second time', async () => {
      const { signIn, idOf } = newUser()
      await signIn()
      const subject = await idOf()
      expect(await inNewBrowser().signIn()).toMatchObject(arrived)
      expect(lastEvent('sign_in_succeeded')).toMatchObject({ subject, signedInBy: `provider ${id}` })
      expect(subject).toEqual(expect.any(String))
    })

    it('connects the provider from the account page, and signs in by it', async () => {
      const { own, browser, connected, email, idOf } = await connectedUser()
      expect(connected).toMatchObject(arrived)
      const { text } = await browser.visit(account)
      expect(text).toContain(`<p class="app-name">${name} <bdi>${email}`)
      expect(text).not.toContain(`Connect ${name}<`)
      expect(await inNewBrowser().signIn()).toMatchObject(arrived)
      expect(lastEvent('sign_in_succeeded')).toMatchObject({ subject: own.id, signedInBy: `provider ${id}` })
      expect(await idOf(), 'no second account').toBeUndefined()
    })

    it(`signs in again, which the provider ${proves ? 'proves' : 'does not prove'}`, async () => {
      const { browser, signIn, connected } = await connectedUser()
      expect(connected).toMatchObject(arrived)
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 })
      try {
        const link = linkToSignInAgain((await browser.visit(account)).text)
        expect(link).toContain('prompt=login')
        const returned = await signIn(link)
        expect(returned).toMatchObject(proves ? arrived : { status: 403 })
        if (proves) expect(linkToSignInAgain((await browser.visit(account)).text)).toBe('')
        else expect(returned.text).toContain(`${name} did not confirm a new sign-in`)
      } finally {
        vi.useRealTimers()
      }
    })

    it('finishes the sign-ins of two tabs, the second one first', async () => {
      const { browser, begin, email } = newUser()
      const [first, second] = [await begin(), await begin('/login?return_to=/account/tokens')]
      expect(await browser.comeBack(op, second)).toMatchObject({ status: 303, leadsTo: '/account/tokens' })
      expect(await browser.comeBack(op, first)).toMatchObject(arrived)
      expect((await browser.visit(account)).text).toContain(email)
    })

    it('who is denied reads it with a reference, which the operator finds', async () => {
      const { signIn, idOf } = newUser()
      op.change({ denies: true })
      const page = await signIn().finally(() => op.change({ denies: false }))
      expect(page.status).toBe(403)
      expect(page.text).toContain(`${name} did not sign you in.`)
      const reference = /<code>([0-9A-Z-]{9})<\/code>/.exec(page.text)?.[1] ?? ''
      const refusal = { type: 'sign_in_refused', reason: 'provider_denied', provider: id, reference }
      expect(service.events).toContainEqual(expect.objectContaining(refusal))
      expect(await service.attempts.find(reference)).toMatchObject({ verdict: { id: 'provider_denied' } })
      expect(await idOf()).toBeUndefined()
    })
  })
})

function linkToSignInAgain(page: string): string {
  const [, link = ''] = /href="(\/login\?[^"]*)"[^>]*>\s*[Ss]ign in again/.exec(page) ?? []
  return link.replaceAll('&amp;', '&')
}

/** The settings of a secret that Apple verifies, and the keys by which it does. */
async function secretOfApple() {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const keyId = 'k1'
  const keys = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: keyId }] }
  return { apple: { teamId: 'TEAM', keyId, key: await exportPKCS8(privateKey) }, keys }
}
