import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { testClient } from '@grantkit/testkit/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inProcess } from './in-process.ts'
import { runService } from './service.ts'
import { storageOfTest } from './storage-of-test.ts'
import { signedIn } from './tokens.ts'
import { user } from './user.ts'

/** The documents for agents and developers, compared with the running service. */

const service = await runService()
afterAll(() => service.close())

async function read(path: string): Promise<string> {
  const response = await fetch(service.baseUrl + path)
  expect(response.status, path).toBe(200)
  return response.text()
}

async function metadata(): Promise<Record<string, unknown>> {
  return JSON.parse(await read('/.well-known/oauth-authorization-server'))
}

describe('auth.md', () => {
  it('names every endpoint, grant type, method and scope of the metadata', async () => {
    const text = await read('/auth.md')
    for (const [name, value] of Object.entries(await metadata())) {
      if (/_endpoint$|^issuer$|^jwks_uri$/.test(name)) expect(text, name).toContain(String(value))
      if (/^(scopes|grant_types|token_endpoint_auth_methods)_supported$/.test(name)) {
        for (const member of value as string[]) expect(text, name).toContain(`\`${member}\``)
      }
    }
  })

  it('says that agents cannot sign in by themselves', async () => {
    expect(await read('/auth.md')).toMatch(
      /`agent_auth` extension is not supported[\s\S]*there is no claim step/,
    )
  })

  it.each(['off', 'required'])(
    'has commands that run, from the first to the last, with PAR=%s',
    async (PAR) => {
      const { baseUrl, close } =
        PAR === 'off' ? { ...service, close: async () => {} } : await runService({ PAR })
      const text = await (await fetch(`${baseUrl}/auth.md`)).text()
      const commands = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\necho\n')
      const shell = spawn('bash', ['-eu', '-c', commands], { env: { PATH: process.env.PATH ?? '' } })
      let output = ''
      for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (output += chunk))
      const ended = once(shell, 'close')
      while (!output.includes('/oauth/authorize?'))
        await Promise.race([once(shell.stdout, 'data'), ended.then(() => Promise.reject(new Error(output)))])
      const [url = ''] = /http\S+\/oauth\/authorize\?\S+/.exec(output) ?? []
      const callback = await user(baseUrl)(url)
      shell.stdin.end(`${callback.searchParams.get('code')}\n`)
      expect((await ended)[0], output).toBe(0)
      expect(output).toContain('"title":"Ceramics: glazing"')
      expect(output).toContain('"name":"Dana Moore"')
      expect(output).toMatch(
        /\{"error":"invalid_token","error_description":"The access token is unknown, expired or revoked. [^{}]+\}\s*$/,
      )
      await close()
    },
  )

  const walkthroughWith = async (settings: Record<string, string>) => {
    const other = await runService(settings)
    const text = await (await fetch(`${other.baseUrl}/auth.md`)).text()
    await other.close()
    return text
  }

  it('names the configured lifetimes', async () => {
    const text = await walkthroughWith({ CODE_LIFETIME: '45', ACCESS_TOKEN_LIFETIME: '7200' })
    expect(text).toContain('good once, for 45 seconds')
    expect(text).toContain('good for 2 hours')
  })

  it('has a document of a client that the service accepts unchanged', async () => {
    const [, document = ''] = /```json\n([\s\S]*?)```/.exec(await read('/auth.md')) ?? []
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'pinned.json'), `[${document}]`)
    const other = await runService({ CIMD_PINNED: join(folder, 'pinned.json') })
    const { client_id: clientId, redirect_uris: redirectUris } = JSON.parse(document)
    const client = { clientId, redirectUris }
    const app = await testClient(other.baseUrl, { client, browser: user(other.baseUrl) })
    expect(await app.tokens('courses:read')).toMatchObject({ scope: 'courses:read' })
    await other.close()
  })

  it('does not mention documents if none is accepted, and only then says that the operator adds clients', async () => {
    const nothing = await walkthroughWith({ CIMD: 'off', REGISTRATION: 'off' })
    expect(nothing).not.toMatch(/document that describes/)
    expect(nothing).toContain('The operator adds each one')
    const documents = await walkthroughWith({ REGISTRATION: 'off' })
    expect(documents).toContain('document that describes')
    expect(documents).not.toContain('The operator adds each one')
  })
})

describe('llms.txt', () => {
  it('has the form of its format, and links that resolve', async () => {
    const text = await read('/llms.txt')
    expect(text).toMatch(/^# .+\n\n> .+\n/)
    const links = [...text.matchAll(/^- \[.+\]\((\S+)\): .+$/gm)].map(([, link]) => link ?? '')
    expect(links.length).toBeGreaterThan(10)
    for (const link of links) await read(link.replace(service.baseUrl, ''))
  })
})

describe('pricing.md', () => {
  it('lists what is published, and nothing else', async () => {
    const text = await read('/pricing.md')
    for (const row of [
      '| Studio | 29.00 EUR per month |',
      '| Bread at home | 29.00 EUR |',
      '| First steps in statistics | free |',
    ]) {
      expect(text).toContain(row)
    }
    for (const hidden of ['Patron', 'Ceramics', 'Glaze recipes']) expect(text).not.toContain(hidden)
  })
})

describe('every document', () => {
  it.each(['/openapi.json', '/auth.md', '/llms.txt', '/pricing.md'])(
    '%s can be revalidated',
    async (path) => {
      const first = await fetch(service.baseUrl + path)
      await first.arrayBuffer()
      const etag = first.headers.get('etag') ?? ''
      expect(etag).toMatch(/^"/)
      expect((await fetch(service.baseUrl + path, { headers: { 'if-none-match': etag } })).status).toBe(304)
      const head = await fetch(service.baseUrl + path, { method: 'HEAD' })
      expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, ''])
      expect((await fetch(service.baseUrl + path, { method: 'POST' })).status).toBe(405)
    },
  )
})

describe('docs', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openChromium()
  })
  afterAll(() => browser.close())

  it('shows the operations, from this origin alone', async () => {
    const page = await browser.context.newPage()
    const elsewhere: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(service.baseUrl) && !request.url().startsWith('data:'))
        elsewhere.push(request.url())
    })
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await page.goto(`${service.baseUrl}/docs`)
    await page.getByText('Register a client (RFC 7591)').waitFor()
    expect([elsewhere, complaints]).toEqual([[], []])
  })

  async function openDocs(): Promise<Page> {
    const page = await browser.context.newPage()
    await page.goto(`${service.baseUrl}/docs`)
    await page.getByRole('button', { name: 'Authorize', exact: true }).click()
    return page
  }

  /** Calls an operation that needs a token. @returns what the page shows as its answer */
  async function userInfo(page: Page): Promise<string | null> {
    await page.getByRole('button', { name: 'Close' }).first().click()
    const operation = page.locator('#operations-OAuth-userInfo')
    await operation.locator('.opblock-summary-control').click()
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.getByRole('button', { name: 'Execute' }).click()
    return operation.locator('.live-responses-table .response').first().textContent()
  }

  it('is a client of its own, with a code, PKCE and no secret', async () => {
    const page = await openDocs()
    const [exchange, popup] = [page.waitForRequest('**/api/oauth/token'), page.waitForEvent('popup')]
    await page.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click()
    const signIn = await popup
    await signIn.getByText('The page that tries the API asks you to sign in').waitFor()
    await signIn.getByLabel('Email').fill('demo@example.com')
    await signIn.getByLabel('Password').fill('demo')
    await signIn.getByRole('button', { name: 'Sign in' }).click()
    await signIn.getByRole('button', { name: 'Allow', exact: true }).click()
    const form = new URLSearchParams((await exchange).postData() ?? '')
    expect([form.get('client_id'), form.get('code_verifier')?.length]).toEqual(['docs', 43])
    expect(form.get('client_secret') ?? '').toBe('')
    await page.getByRole('button', { name: 'Remove authorization' }).first().waitFor()
    expect(await userInfo(page)).toMatch(/200[\s\S]*"sub"/)
  })

  it('begins with every scope for reading, and with none for writing', async () => {
    const page = await openDocs()
    const chosen = await page
      .locator('.scopes input:checked')
      .evaluateAll((inputs) => inputs.map((input) => input.getAttribute('data-value') ?? ''))
    expect(chosen).toContain('openid')
    expect(chosen.filter((scope) => scope.endsWith(':write'))).toEqual([])
    const offered = await page.locator('.scopes input').count()
    expect(chosen.length).toBeGreaterThan(offered / 2)
  })

  it('has a field for a token, and a dark theme', async () => {
    const { access_token } = await signedIn(service.baseUrl, 'openid')
    const page = await openDocs()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('#auth-bearer-value').fill(access_token)
    await page.getByRole('button', { name: 'Apply credentials' }).click()
    expect(await userInfo(page)).toMatch(/200[\s\S]*"sub"/)
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toMatch(
      /^rgb\((?:\d|[1-4]\d), /,
    )
  })
})

describe('a new area', () => {
  it('needs one line in each language: its scopes, routes, words and descriptions are derived', async () => {
    const source = fileURLToPath(new URL('../src', import.meta.url))
    const copy = `${source}-with-one-more-line`
    await cp(source, copy, { recursive: true, filter: (path) => !path.endsWith('.test.ts') })
    try {
      const line =
        "    certificates: { title: 'Certificates', read: 'See the certificates', write: 'Issue certificates' },\n"
      const texts = join(copy, 'oauth/scope-texts')
      for (const file of await readdir(texts)) {
        const text = await readFile(join(texts, file), 'utf8')
        await writeFile(join(texts, file), text.replace('    account: {', `${line}    account: {`))
      }
      const module = (name: string) => import(pathToFileURL(join(copy, name)).href)
      const { createService }: typeof import('../src/service.ts') = await module('service.ts')
      const { schoolConfig }: typeof import('../src/config.ts') = await module('config.ts')
      const observers = { onEvent: () => {}, onError: () => {} }
      const changed = await createService(
        schoolConfig({ NODE_ENV: 'test' }),
        observers,
        await storageOfTest(),
      )
      const handle = inProcess(changed)
      const get = async (path: string) => (await handle(new Request(`http://127.0.0.1:3000${path}`))).text()
      for (const path of ['/.well-known/oauth-authorization-server', '/openapi.json', '/auth.md']) {
        expect(await get(path), path).toContain('certificates:write')
      }
      expect(await get('/openapi.json')).toContain('"/api/certificates/{id}"')
      expect(await get('/auth.md')).toContain('Issue certificates')
      expect(await get('/api/certificates')).toBe('{"items":[],"total":0}')
    } finally {
      await rm(copy, { recursive: true })
    }
  })
})
