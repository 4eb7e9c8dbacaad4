import type { Client } from '@grantkit/core/feature'
import { expect, it } from 'vitest'
import { logoutTermsOf } from './session-clients.ts'

const DOCUMENT = 'https://editor.dev/client.json'
const [OWN, OTHER] = ['https://editor.dev/bcl', 'https://app.dev/bcl']

it.each<[Client['origin'], string, object, object | undefined]>([
  ['integration', 'c', { backchannel_logout_uri: OTHER }, { uri: OTHER, sessionBound: false }],
  ['integration', 'c', { session_bound: true }, { uri: undefined, sessionBound: true }],
  ['integration', 'c', { session_bound: false }, undefined],
  ['registered', 'c', { backchannel_logout_uri: OTHER, session_bound: true }, undefined],
  [
    'document',
    DOCUMENT,
    { backchannel_logout_uri: OWN, session_bound: true },
    { uri: OWN, sessionBound: false },
  ],
  ['document', DOCUMENT, { backchannel_logout_uri: OTHER }, undefined],
  ['document', DOCUMENT, { backchannel_logout_uri: 'http://editor.dev/bcl' }, undefined],
  ['document', 'http://editor.dev', { backchannel_logout_uri: OWN }, undefined],
  ['document', 'http://editor.dev', { backchannel_logout_uri: 'http://editor.dev/bcl' }, undefined],
])(
  'a client of origin %s (%s) with %o has the logout terms %o',
  (origin, clientId, featureMetadata, expected) => {
    const terms = logoutTermsOf({ origin, clientId, featureMetadata } as Client)
    expect(terms).toEqual(expected && { sessionRequired: false, ...expected })
  },
)
