import { describe, expect, it } from 'vitest'
import type { RedirectUriPolicy } from './redirect-uri.ts'
import { namedIn, ownerAfterChange } from './static-clients.ts'

const ONE = { id: 'one', name: 'One', redirectUris: ['https://one.example/cb', 'https://one.example/web'] }
const TWO = { id: 'two', name: 'Two', redirectUris: ['https://two.example/cb', 'https://two.example/web'] }
const OWN = 'https://own.example/cb'
const OPTIONS = { knownClients: [ONE, TWO] }

describe('a static client that names a known client', () => {
  it('has the redirect URIs of its entry and its own name, if it has one', () => {
    const named = { known: 'two', clientName: 'Ours', redirectUris: [OWN, 'https://two.example/cb'] }
    expect(namedIn(OPTIONS, named)).toEqual({
      registration: { clientName: 'Ours', redirectUris: [...TWO.redirectUris, OWN] },
      knownClient: 'two',
    })
  })

  it('is refused for an unknown id, and the error names the ids of all entries', () => {
    expect(() => namedIn(OPTIONS, { known: 'three' })).toThrow('known: must be one of one, two')
  })

  it('names none if `known` is undefined', () => {
    const added = { clientName: 'Own', redirectUris: [OWN], known: undefined }
    expect(namedIn(OPTIONS, added)).toEqual({ registration: added })
  })
})

/** The policy has only the first entry: the operator has not allowed the second one. */
const policy: RedirectUriPolicy = (uris) =>
  uris.every((uri) => ONE.redirectUris.includes(uri))
    ? { accepted: uris, owner: { id: 'one', name: 'One', host: 'one.example', formActionHops: [] } }
    : { refused: 'no' }

describe('a client whose redirect URIs changed', () => {
  it.each<[string, string | undefined, readonly string[], string | undefined]>([
    ['keeps its known client with one redirect URI of its entry', 'two', ['https://two.example/web'], 'two'],
    [
      'keeps its known client next to a redirect URI of another',
      'two',
      ['https://one.example/cb', 'https://two.example/cb'],
      'two',
    ],
    ['keeps a known client that has no entry any longer', 'three', [OWN], 'three'],
    ['loses its known client with the last redirect URI of its entry', 'two', [OWN], undefined],
    ['gets the known client of its new redirect URI instead', 'two', [OWN, 'https://one.example/web'], 'one'],
    ['gets a known client if it had none', undefined, ['https://one.example/cb'], 'one'],
    ['gets none with redirect URIs of its own', undefined, [OWN], undefined],
  ])('%s', (_, knownClient, redirectUris, expected) => {
    expect(ownerAfterChange(OPTIONS, { knownClient, redirectUris }, policy)).toBe(expected)
  })
})
