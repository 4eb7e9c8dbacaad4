import { expect, it } from 'vitest'
import type { StepEvent, StepFacts, StepName } from './sign-in-steps.ts'
import { comparedIn } from './verdict-comparison.ts'

type Facts = StepFacts & Partial<Pick<StepEvent, 'at' | 'outcome'>>

const START = 1_800_000_000
const [OLD, NEW] = ['https://app.example/old', 'https://app.example/new']
const [API, MCP] = ['https://api.example', 'https://api.example/mcp']

function step(name: StepName, facts: Facts = {}): StepEvent {
  const outcome = facts.reason === undefined ? 'ok' : 'refused'
  return { type: 'step', reference: '7K3MQ2WD', at: START, step: name, outcome, ...facts }
}

const requested = step('requested', { scopes: ['openid', 'paint'] })
const allowed = step('allowed', { scopes: ['openid', 'read'] })
const redeemed = step('code_redeemed', { scopes: ['openid'] })
const unknown = (scopes?: string[]) => step('requested', { reason: 'scope_unknown', scopes })
const scopeMissing = step('first_call', { reason: 'bearer_scope_missing', scopes: ['write'] })

it.each<[string, StepEvent, StepEvent[], Record<string, string>]>([
  ['the scopes of the refused request', unknown(['a', 'b']), [requested], { 'scope requested': 'a b' }],
  [
    'the scopes that it was begun with',
    unknown(),
    [requested, allowed],
    { 'scope requested': 'openid paint' },
  ],
  ['no scopes if none were sent', unknown(), [step('requested')], {}],
  ['no scopes if the beginning is not kept', unknown(), [], {}],
  [
    'the scopes that the user allowed',
    scopeMissing,
    [requested, allowed, redeemed],
    { 'scope allowed': 'openid read' },
  ],
  ['no allowed scopes if that step has none', scopeMissing, [step('allowed'), redeemed], {}],
  ['no allowed scopes if that step is not kept', scopeMissing, [redeemed], {}],
  [
    'two redirect URIs: the registered one, and the one that was sent',
    step('request_refused', { reason: 'redirect_uri_not_registered', redirectUri: NEW, expected: OLD }),
    [],
    { 'redirect_uri sent': NEW, 'redirect_uri expected': OLD },
  ],
  [
    'the redirect URIs of both requests for a code',
    step('code_redeemed', { reason: 'code_redirect_uri_mismatch', redirectUri: NEW, expected: OLD }),
    [],
    { 'redirect_uri of the authorization request': OLD, 'redirect_uri of the token request': NEW },
  ],
  [
    'two resources that differ by a slash',
    step('request_refused', { reason: 'resource_unknown', resource: `${MCP}/`, expected: MCP }),
    [],
    { 'resource sent': `${MCP}/`, 'resource expected': MCP },
  ],
  [
    'the resource of the token and the API that refused it',
    step('first_call', { reason: 'bearer_wrong_audience', resource: API, expected: MCP }),
    [redeemed],
    { 'resource of the token': MCP, 'resource of the API': API },
  ],
  [
    'both uses of a refresh token, rather than the end of its grant',
    step('ended', { at: START + 101, reason: 'refresh_token_reused', by: 'server' }),
    [
      step('refreshed'),
      step('refreshed', { at: START + 100, reason: 'refresh_token_reused', network: '192.0.2.0/24' }),
    ],
    {
      'first use': '2027-01-15T08:00:00.000Z',
      'second use': '2027-01-15T08:01:40.000Z from 192.0.2.0/24',
      'seconds between': '100',
    },
  ],
  [
    'both uses of a code, with the network of the use that has one',
    step('code_redeemed', { at: START + 4, reason: 'code_replayed' }),
    [step('code_redeemed', { network: '192.0.2.0/24' })],
    {
      'first use': '2027-01-15T08:00:00.000Z from 192.0.2.0/24',
      'second use': '2027-01-15T08:00:04.000Z',
      'seconds between': '4',
    },
  ],
  [
    'how long a code was under way',
    step('code_redeemed', { at: START + 65, reason: 'code_expired' }),
    [step('sent_back')],
    { 'seconds since the code was sent': '65' },
  ],
  [
    'the fault of the host of a document',
    step('client_found', { reason: 'document_unreachable', clientId: NEW, fault: 'status_403' }),
    [],
    { document: NEW, fault: 'status_403' },
  ],
  ['nothing for other errors', step('requested', { reason: 'challenge_missing' }), [requested], {}],
])('a verdict compares %s', (_, error, before, rows) => {
  const compared = Object.entries(rows).map(([label, value]) => ({ label, value }))
  expect(comparedIn(error, [...before, error])).toEqual(compared)
})

it('takes the end of the grant for the second use if that request has no step of its own', () => {
  const first = step('refreshed', { at: 1_800_000_600 })
  const ended = step('ended', { at: 1_800_000_700, reason: 'refresh_token_reused', by: 'server' })
  expect(comparedIn(ended, [redeemed, first, ended])).toEqual([
    { label: 'first use', value: '2027-01-15T08:10:00.000Z' },
    { label: 'second use', value: '2027-01-15T08:11:40.000Z' },
    { label: 'seconds between', value: '100' },
  ])
})
