import { describe, expect, it } from 'vitest'
import { KNOWN_CLIENTS } from './index.ts'
import { entryFault, isOnByDefault, type KnownClient } from './known-client.ts'

/** Domains of a vendor next to the one that users are shown. */
const OTHER_DOMAINS: Readonly<Record<string, readonly string[]>> = {
  claude: ['claude.com'],
  grok: ['x.ai'],
  make: ['celonis.com'],
  v0: ['v0.dev'],
}

/** What a callback with a part for each user, tenant, connector or server looks like. */
const VARYING_PART = /[*{}<>]|:[a-z]|[0-9a-f]{8}|\/connector\/oauth\/|azure-apim|vertexaisearch/

/** A page with its address or number, a document, a file of a repository or one of its issues. */
const CHECKABLE: Readonly<Record<KnownClient['evidence'], RegExp>> = {
  'vendor-page': /^https:|^[\w-]+(\.[\w-]+)+, |, article \d+$/,
  'vendor-document': /^https:/,
  'vendor-source': /^[\w-]+\/[\w-]+(#\d+|, [\w./-]+\.\w+)$/,
  observed: /\S/,
}

const withPort = (uri: string) => /^[a-z]+:\/\/[^/?]*:/.test(uri)
const webAddresses = ({ redirectUris }: KnownClient) => redirectUris.filter((uri) => uri.startsWith('https:'))

describe('the table of known clients', () => {
  it.each(KNOWN_CLIENTS)('has $id by the rules for an entry', (entry) => {
    const others = KNOWN_CLIENTS.filter((other) => other !== entry)
    expect(entryFault(entry, others)).toBeUndefined()
  })

  it.each(KNOWN_CLIENTS)('has $id on hosts of its vendor alone', (entry) => {
    const domains = [entry.host, ...(OTHER_DOMAINS[entry.id] ?? [])]
    const ofVendor = (uri: string) => domains.some((domain) => `.${new URL(uri).host}`.endsWith(`.${domain}`))
    expect(webAddresses(entry).filter((uri) => !ofVendor(uri))).toEqual([])
    expect(entry.documents.map(({ url }) => url).filter((url) => !ofVendor(url))).toEqual([])
  })

  it.each(KNOWN_CLIENTS)('has no address of $id that differs between users or servers', (entry) => {
    const addresses = [...entry.redirectUris, ...entry.documents.map(({ url }) => url)]
    expect(addresses.filter((uri) => VARYING_PART.test(uri.replace(/^[a-z.]+:/, '')))).toEqual([])
    expect(addresses.filter(withPort)).toEqual([])
  })

  it.each(KNOWN_CLIENTS)(
    'says where $id comes from, and since when',
    ({ evidence, source, seen, documents }) => {
      expect(source).toMatch(CHECKABLE[evidence])
      for (const day of [seen, ...documents.map((document) => document.seen)]) {
        expect(day).toMatch(/^20\d\d-\d\d-\d\d$/)
        expect(Date.parse(day)).not.toBeNaN()
      }
    },
  )

  it.each(KNOWN_CLIENTS)('has copies of documents of $id that name themselves', ({ documents }) => {
    for (const { url, json } of documents) expect(json?.client_id ?? url).toBe(url)
  })

  it.each(KNOWN_CLIENTS)('has an address or a document of $id', ({ redirectUris, documents }) => {
    expect(redirectUris.length + documents.length).toBeGreaterThan(0)
  })

  it('has a hop for an https callback alone, since another address has its scheme in itself', () => {
    const hopping = KNOWN_CLIENTS.filter(({ formActionHops }) => formActionHops.length > 0)
    expect(hopping.filter((entry) => webAddresses(entry).length === 0)).toEqual([])
  })

  it('is on where the vendor is the source and nothing speaks against it', () => {
    const off = KNOWN_CLIENTS.filter((entry) => !isOnByDefault(entry)).map(({ id }) => id)
    expect(off.sort()).toEqual([
      ...[
        'antigravity',
        'claude-code-desktop',
        'devin-beta',
        'lobehub',
        'make',
        'microsoft-365-copilot',
        'mistral',
      ],
      ...['raycast', 'vscode'],
    ])
  })
})

describe('an entry', () => {
  const entry: KnownClient = {
    ...{ id: 'app', name: 'App', vendor: 'App', host: 'app.example', documents: [], formActionHops: [] },
    ...{ redirectUris: ['https://app.example/cb'], evidence: 'vendor-page', source: 'x', seen: '2026-09-17' },
  }
  const faultWith = (redirectUri: string) => entryFault({ ...entry, redirectUris: [redirectUri] }, [])

  it.each([
    'https://app.example/cb?client=a',
    'https://app.example/cb/',
    'app://callback',
    'com.example.app:/callback',
  ])('may have %s', (uri) => {
    expect(faultWith(uri)).toBeUndefined()
  })

  it.each([
    'https://app.example',
    'https://app.example/',
    'https://app.example?a=b',
    'https://app.example:443/cb',
    'https://app.example:8443/cb',
    'https://user@app.example/cb',
    'https://app.example/cb#x',
    'https://app.example/*',
    'https://*.app.example/cb',
    'https://app.example/{id}/cb',
    'https://app.example/<id>/cb',
    'https://app.example/a/../cb',
    'https://APP.example/cb',
    'https://app/cb',
    'https://127.0.0.1/cb',
    'http://app.example/cb',
    'http://127.0.0.1/cb',
    'http://localhost:8787/cb',
    'app:callback',
    'cb',
    'javascript:/x',
    'data:/x',
    'vbscript:/x',
    'file:///x',
    'blob:/x',
    'filesystem:/x',
    'about:/x',
    'view-source:/x',
    'intent://x',
    'ms-word:/x',
    'ms-appinstaller:/x',
    'ws://app.example/cb',
    'wss://app.example/cb',
    'JavaScript:/x',
  ])('has no %s', (uri) => {
    expect(faultWith(uri)).toContain('redirectUris')
  })

  it.each<[string, Partial<KnownClient>, string]>([
    ['an id in capitals', { id: 'App' }, 'id "App"'],
    ['the id of another', { id: 'taken', redirectUris: [] }, 'id taken is taken'],
    ['the address of another', { redirectUris: ['https://taken.example/cb'] }, 'belongs to another entry'],
    ['a host with a path', { host: 'app.example/x' }, 'host'],
    ['a document at an http address', { documents: [{ url: 'http://a.example/c', seen: '' }] }, 'documents'],
    ['a hop that runs a script', { formActionHops: ['javascript:'] }, 'formActionHops'],
    ['a hop that is a host', { formActionHops: ['https:'] }, 'formActionHops'],
  ])('has not %s', (_, members, fault) => {
    const other = { ...entry, id: 'taken', redirectUris: ['https://taken.example/cb'] }
    expect(entryFault({ ...entry, ...members }, [other])).toContain(fault)
  })
})
