import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isOnByDefault, KNOWN_CLIENTS, type KnownClientsOptions, knownClients } from './index.ts'

const idsOf = (options: KnownClientsOptions) => knownClients(options).on.map(({ id }) => id)
const byDefault = KNOWN_CLIENTS.filter(isOnByDefault).map(({ id }) => id)
const OWN = { id: 'own', name: 'Own', host: 'own.example', redirectUris: ['https://own.example/cb'] }
const CLAUDE_DOCUMENT = 'https://claude.ai/oauth/mcp-oauth-client-metadata'

describe('knownClients', () => {
  it.each<[string, KnownClientsOptions, readonly string[]]>([
    ['the default set', {}, byDefault],
    [
      'the clients in `only`, also with a caution',
      { only: ['cursor', 'antigravity'] },
      ['cursor', 'antigravity'],
    ],
    ['none with an empty `only`', { only: [] }, []],
    ['the default set and others', { only: ['on', 'antigravity'] }, [...byDefault, 'antigravity']],
    ['the default set without `except`', { except: ['v0'] }, byDefault.filter((id) => id !== 'v0')],
    ['the clients in `only` without `except`', { only: ['cursor', 'v0'], except: ['v0'] }, ['cursor']],
    ['own entries next to the others', { only: ['cursor'], also: [OWN] }, ['cursor', 'own']],
  ])('has on: %s', (_, options, ids) => {
    expect(idsOf(options).sort()).toEqual([...ids].sort())
  })

  it.each<[string, KnownClientsOptions, RegExp]>([
    ['a wrong name in `only`', { only: ['cursr'] }, /^knownClients: only names "cursr", .*claude.*cursor/],
    ['a wrong name in `except`', { except: ['nope'] }, /^knownClients: except names "nope"/],
    [
      'an own entry with a pattern',
      { also: [{ ...OWN, redirectUris: ['https://own.example/*'] }] },
      /also\[0\]: redirectUris/,
    ],
    ['an own entry with a taken id', { also: [OWN, OWN] }, /also\[1\]: id own is taken/],
    [
      'an own entry with the address of another',
      { also: [{ ...OWN, redirectUris: ['https://claude.ai/api/mcp/auth_callback'] }] },
      /belongs to another entry/,
    ],
  ])('throws at %s', (_, options, message) => {
    expect(() => knownClients(options)).toThrow(message)
  })

  it('starts with an entry that was removed for security, lets it in by nothing, and says why', () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => logged.mockRestore())
    const known = knownClients({ also: [{ ...OWN, removed: 'its page shows the code' }] })
    expect([...known.on, ...known.knownClients].map(({ id }) => id)).not.toContain('own')
    expect(known.redirectUriPolicy(OWN.redirectUris)).not.toHaveProperty('accepted')
    expect(logged.mock.calls.flat()).toEqual([
      'Grantkit: knownClients: own stays off: its page shows the code',
    ])
  })

  it('leaves the documents that the operator pins, and the policy for others, to the operator', () => {
    const [pinned, admit] = [[{ client_id: 'https://app.example/client' }], () => 'no' as const]
    for (const documents of ['fetch-then-copy', 'copy', 'fetch'] as const)
      expect({ pinned, admit, ...knownClients({ documents }) }).toMatchObject({ pinned, admit })
  })

  it('names the documents of the entries that are on', () => {
    const urls = (options: KnownClientsOptions) => knownClients(options).knownDocuments.map(({ url }) => url)
    expect(urls({})).toContain(CLAUDE_DOCUMENT)
    expect(urls({ except: ['claude'] })).not.toContain(CLAUDE_DOCUMENT)
  })

  it.each([
    ['fetch-then-copy', false, true],
    ['copy', true, true],
    ['fetch', undefined, false],
  ] as const)('with %s has the copies in their place', (documents, pinned, copies) => {
    const known = knownClients({ only: ['claude'], documents })
    expect(known.knownDocuments).toMatchObject([{ url: CLAUDE_DOCUMENT, knownClient: 'claude' }])
    expect(known.knownDocuments[0]?.pinned).toBe(pinned)
    expect(known.knownDocuments[0]?.copy !== undefined).toBe(copies)
  })
})
