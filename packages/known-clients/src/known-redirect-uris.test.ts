import { describe, expect, it } from 'vitest'
import { KNOWN_CLIENTS, knownClients } from './index.ts'

const CURSOR = [
  'cursor://anysphere.cursor-mcp/oauth/callback',
  'https://www.cursor.com/agents/mcp/oauth/callback',
  'http://localhost:8787/callback',
]
const VS_CODE = [
  'https://insiders.vscode.dev/redirect',
  'https://vscode.dev/redirect',
  'http://127.0.0.1/',
  'http://127.0.0.1:33418/',
]
const CHATGPT = 'https://chatgpt.com/connector_platform_oauth_redirect'
const CLAUDE = 'https://claude.ai/api/mcp/auth_callback'
const FOREIGN = 'https://evil.example/callback'
const LOOPBACK = 'http://127.0.0.1:7001/cb'
const MODES = ['prune', 'refuse'] as const

const all = KNOWN_CLIENTS.map(({ id }) => id)
const policyOf = (options = {}) => knownClients({ only: all, ...options }).redirectUriPolicy

/** Addresses that differ from a known one by as little as an attacker may hope for. */
function lookalikes(uri: string): Record<string, string> {
  const [, scheme = '', host = '', rest = ''] = /^([^:]+):\/(?:\/([^/?]*))?(.*)$/.exec(uri) ?? []
  const at = (changed: string) => `${scheme}://${changed}${rest}`
  const slash = uri.endsWith('/') ? uri.slice(0, -1) : `${uri}/`
  const encoded = `${uri.slice(0, -2)}%${uri.charCodeAt(uri.length - 2).toString(16)}${uri.slice(-1)}`
  const common = {
    'another case of the path': `${uri.slice(0, -4)}${uri.slice(-4).toUpperCase()}`,
    'another case of the scheme': uri.replace(scheme, scheme.toUpperCase()),
    'a slash more or less': slash,
    'a query': `${uri}${uri.includes('?') ? '&' : '?'}a=b`,
    'a fragment': `${uri}#x`,
    'percent-encoding': encoded,
    'a dot segment': uri.replace(/\/([^/]*)$/, '/./$1'),
    'a space in front': ` ${uri}`,
    'a line break behind': `${uri}\n`,
  }
  if (scheme !== 'https') return common
  return {
    ...common,
    'another case of the host': at(host.toUpperCase()),
    'the port of https': at(`${host}:443`),
    'a user': at(`user@${host}`),
    'the host as a user': at(`${host}@evil.example`),
    'www more or less': at(host.startsWith('www.') ? host.slice(4) : `www.${host}`),
    'a host that ends with it': at(`evil${host}`),
    'a host that begins with it': at(`${host}.evil.example`),
    'a final dot of the host': at(`${host}.`),
    'a backslash': uri.replace(`${host}/`, `${host}\\`),
    http: uri.replace('https:', 'http:'),
  }
}

const EVERY_ADDRESS = KNOWN_CLIENTS.flatMap(({ id, redirectUris }) =>
  redirectUris.map((uri) => ({ id, uri })),
)

describe('the redirect URI of a known client', () => {
  it.each(EVERY_ADDRESS)('$uri is accepted as a redirect URI of $id', ({ id, uri }) => {
    expect(policyOf()([uri])).toMatchObject({ accepted: [uri], owner: { id } })
  })

  it.each(EVERY_ADDRESS)('$uri is compared by bytes', ({ uri }) => {
    for (const [change, other] of Object.entries(lookalikes(uri))) {
      expect(other, change).not.toBe(uri)
      for (const mixed of MODES)
        expect(policyOf({ mixed })([other]), `${change}: ${other}`).toHaveProperty('refused')
    }
  })

  it.each([
    ['a known host and another path', 'https://claude.ai/api/mcp/other'],
    ['the callback of a single connector', 'https://chatgpt.com/connector/oauth/abc123'],
    ['a callback for each maker', 'https://global.consent.azure-apim.net/redirect/app-5f1a'],
    ['a private-use scheme of another app', 'evil://callback'],
    ['a known scheme and another address', 'cursor://evil.extension/oauth/callback'],
    ['a script', 'javascript:alert(1)'],
  ])('is not %s', (_, uri) => {
    for (const mixed of MODES) expect(policyOf({ mixed })([uri])).toHaveProperty('refused')
  })
})

describe('a list of redirect URIs', () => {
  it.each([
    ['of Cursor', CURSOR],
    ['of Visual Studio Code', VS_CODE],
  ])('%s is accepted whole', (_, uris) => {
    for (const mixed of MODES) expect(policyOf({ mixed })(uris)).toMatchObject({ accepted: uris })
  })

  it('with a foreign address keeps the others by default', () => {
    expect(policyOf()([CHATGPT, FOREIGN, LOOPBACK])).toMatchObject({
      accepted: [CHATGPT, LOOPBACK],
      owner: { id: 'chatgpt' },
    })
  })

  it('with a foreign address is refused with `refuse`, with a result for each', () => {
    const refused = expect.stringMatching(
      /^redirect_uris\[0\]: accepted; redirect_uris\[1\]: neither .* nor a loopback address .*registered by the operator; redirect_uris\[2\]: accepted$/,
    )
    expect(policyOf({ mixed: 'refuse' })([CHATGPT, FOREIGN, LOOPBACK])).toEqual({ refused })
  })

  it('of foreign addresses alone is refused either way', () => {
    for (const mixed of MODES) expect(policyOf({ mixed })([FOREIGN])).toHaveProperty('refused')
  })

  it('of two known clients is refused, since a page could name only one of them', () => {
    for (const mixed of MODES)
      expect(policyOf({ mixed })([CHATGPT, CLAUDE, LOOPBACK])).toEqual({
        refused: 'redirect_uris: some are of ChatGPT and some of Claude',
      })
  })

  it('of two known clients is refused where one of them is off, or both are', () => {
    for (const [mixed, only] of MODES.flatMap((mixed) => [
      [mixed, ['chatgpt']] as const,
      [mixed, []] as const,
    ]))
      expect(policyOf({ mixed, only })([CHATGPT, CLAUDE, LOOPBACK])).toEqual({
        refused: 'redirect_uris: some are of ChatGPT and some of Claude',
      })
  })

  it('of loopback addresses is of no known client', () => {
    expect(policyOf()([LOOPBACK])).toEqual({ accepted: [LOOPBACK], owner: undefined })
  })

  it('with localhost keeps the rest where localhost is off', () => {
    expect(policyOf({ localhost: false })(CURSOR)).toMatchObject({ accepted: CURSOR.slice(0, 2) })
    expect(policyOf({ localhost: false, mixed: 'refuse' })(CURSOR)).toHaveProperty('refused')
  })
})

describe('the host that is shown', () => {
  it.each([
    ['the one of the entry', CHATGPT, 'chatgpt.com'],
    ['the one of the entry, for a host below it', CURSOR[1], 'cursor.com'],
    [
      'another one of the vendor, where the code goes there',
      'https://claude.com/api/mcp/auth_callback',
      'claude.com',
    ],
    ['another one of the vendor', 'https://console.x.ai/connectors-oauth-exchange-code/', 'console.x.ai'],
  ])('is %s', (_, uri = '', host) => {
    expect(policyOf()([uri])).toMatchObject({ owner: { host } })
  })
})

describe('a known client that is off', () => {
  const { redirectUriPolicy } = knownClients({ except: ['cursor'] })

  it('is named in the error', () => {
    expect(redirectUriPolicy([CURSOR[1] ?? ''])).toMatchObject({
      ownerOff: { id: 'cursor', name: 'Cursor', hint: "knownClients({ only: [..., 'cursor'] })" },
    })
  })

  it('is allowed as the operator says', () => {
    const { redirectUriPolicy } = knownClients({ only: [], hint: (id) => `add ${id} to the settings` })
    expect(redirectUriPolicy([CLAUDE])).toMatchObject({
      ownerOff: { hint: 'add claude to the settings' },
    })
  })

  it('keeps its loopback addresses', () => {
    expect(redirectUriPolicy(CURSOR)).toEqual({ accepted: [CURSOR[2]], owner: undefined })
  })
})
