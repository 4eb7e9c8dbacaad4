import type { PublicClient, UserGrant } from '@grantkit/core'
import type { GrantId } from '@grantkit/core/feature'
import { describe, expect, it } from 'vitest'
import { installationsOf } from './user-apps.ts'

const SCOPES = ['read', 'write', 'more'].map((name) => ({ name, description: `To ${name}` }))
const DOCUMENT = 'https://editor.example/client.json'

function grant(id: string, members: Partial<UserGrant> = {}): UserGrant {
  const times = { createdAt: 100, usedAt: 100, expiresAt: 900 }
  return { id: id as GrantId, clientId: 'editor', scopes: ['read'], resources: [], ...times, ...members }
}

describe('the installations of a list of grants', () => {
  it.each<[string, UserGrant[], [string, string[]][]]>([
    ['nothing', [], []],
    ['one for a client that registered itself', [grant('1'), grant('2')], [['editor', ['1', '2']]]],
    [
      'one for each client',
      [grant('1'), grant('2', { clientId: 'player' })],
      [
        ['editor', ['1']],
        ['player', ['2']],
      ],
    ],
    [
      'one for each grant of a document, which all installations share',
      [grant('1', { clientId: DOCUMENT }), grant('2', { clientId: DOCUMENT })],
      [
        ['1', ['1']],
        ['2', ['2']],
      ],
    ],
    [
      'one for each device, next to the browser of the same client',
      [grant('1', { origin: 'device' }), grant('2'), grant('3', { origin: 'device' })],
      [
        ['1', ['1']],
        ['editor', ['2']],
        ['3', ['3']],
      ],
    ],
    [
      'one for all grants of a client by assertions',
      [grant('1', { origin: 'assertion' }), grant('2', { origin: 'assertion' })],
      [['editor', ['1', '2']]],
    ],
    [
      'none for a personal access token',
      [grant('1', { origin: 'personal' }), grant('2')],
      [['editor', ['2']]],
    ],
    [
      'the most recently used first',
      [
        grant('1', { usedAt: 200 }),
        grant('2', { clientId: 'player', usedAt: 300 }),
        grant('3', { usedAt: 400 }),
      ],
      [
        ['editor', ['3', '1']],
        ['player', ['2']],
      ],
    ],
  ])('are %s', (_, grants, expected) => {
    const apps = installationsOf(grants, SCOPES)
    expect(apps.map(({ installation, grantIds }) => [installation, grantIds])).toEqual(expected)
  })

  it('join what was allowed, in the order of the catalogue and without scopes that are gone, and the times', () => {
    const grants = [
      grant('1', { scopes: ['more', 'gone'], createdAt: 50, usedAt: 500, redirectUri: 'app://a' }),
      grant('2', { scopes: ['read', 'more'], usedAt: 200, expiresAt: 950, redirectUri: 'app://b' }),
      grant('3', { redirectUri: 'app://a' }),
    ]
    expect(installationsOf(grants, SCOPES)).toMatchObject([
      {
        scopes: [
          { name: 'read', description: 'To read' },
          { name: 'more', description: 'To more' },
        ],
        redirectUris: ['app://a', 'app://b'],
        ...{ firstUsed: 50, lastUsed: 500, expiresAt: 950 },
      },
    ])
  })

  it('have the name and origin of their client, and neither when it was removed', () => {
    const client = { clientName: 'Editor', origin: 'integration' } as PublicClient
    expect(installationsOf([grant('1', { client })], SCOPES)).toMatchObject([
      { name: 'Editor', origin: 'integration', device: undefined },
    ])
    expect(installationsOf([grant('1')], SCOPES)).toMatchObject([{ name: undefined, origin: undefined }])
  })

  it('have the issuer that allowed them, and none if the user did', () => {
    const authority = { issuer: 'https://acme.example', subject: 'U1' }
    expect(installationsOf([grant('1', { origin: 'assertion', authority })], SCOPES)).toMatchObject([
      { allowedBy: 'https://acme.example' },
    ])
    expect(installationsOf([grant('1')], SCOPES)[0]).not.toHaveProperty('allowedBy')
  })

  it('have the mark of a known client', () => {
    const client = { clientName: 'Assistant', origin: 'registered', knownClient: 'chatgpt' } as PublicClient
    expect(installationsOf([grant('1', { client })], SCOPES)).toMatchObject([{ knownClient: 'chatgpt' }])
  })

  it.each([
    ['device', '203.0.113.0/24'],
    ['device', undefined],
    ['backchannel', '203.0.113.0/24'],
  ] as const)('have the network of the request without a browser: %s, %s', (origin, network) => {
    expect(installationsOf([grant('1', { origin, network })], SCOPES)).toMatchObject([
      { device: { network } },
    ])
  })
})

describe('two installations', () => {
  const LOOPBACK = ['http://127.0.0.1:1/a', 'http://[::1]:2/'] as const
  type Registered = Partial<Pick<PublicClient, 'clientName' | 'origin'>> & { readonly uri?: string }
  const of = (clientId: string, { uri, ...client }: Registered = {}) => {
    const registered = { clientName: 'Editor', origin: 'registered', ...client } as PublicClient
    return grant(`of ${clientId}`, { clientId, client: registered, redirectUri: uri })
  }

  it.each<[string, boolean, UserGrant[]]>([
    ['of one document', true, [grant('1', { clientId: DOCUMENT }), grant('2', { clientId: DOCUMENT })]],
    [
      'of two devices with one client',
      true,
      [grant('1', { origin: 'device' }), grant('2', { origin: 'device' })],
    ],
    [
      'that registered with the same name on this device',
      true,
      [of('a', { uri: LOOPBACK[0] }), of('b', { uri: LOOPBACK[1] })],
    ],
    [
      'with the same name at two hosts',
      false,
      [of('a', { uri: 'https://a.example/' }), of('b', { uri: 'https://b.example/' })],
    ],
    [
      'with the same name, here and at a host',
      false,
      [of('a', { uri: 'https://a.example/' }), of('b', { uri: LOOPBACK[0] })],
    ],
    ['with two names', false, [of('a'), of('b', { clientName: 'Player' })]],
    ['without a name', false, [grant('1', { clientId: 'a' }), grant('2', { clientId: 'b' })]],
    ['of which an operator added one', false, [of('a'), of('b', { origin: 'integration' })]],
    ['of which a document describes one', false, [of('a'), of('https://a.example/', { origin: 'document' })]],
  ])('%s are one app: %s', (_, areOne, grants) => {
    const [first, second] = installationsOf(grants, SCOPES)
    expect([first, second]).not.toContain(undefined)
    expect(first?.app === second?.app).toBe(areOne)
  })
})
