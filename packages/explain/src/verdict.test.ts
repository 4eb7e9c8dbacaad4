import { describe, expect, it } from 'vitest'
import type { StepEvent, StepFacts, StepName } from './sign-in-steps.ts'
import { verdictOf } from './verdict.ts'

const START = 1_800_000_000
const HERE = '192.0.2.0/24'
const ELSEWHERE = '198.51.100.0/24'

type Facts = StepFacts & Partial<Pick<StepEvent, 'outcome' | 'reference'>>

/** A step, so many seconds after the start. */
function step(after: number, name: StepName, facts: Facts = {}): StepEvent {
  const known = { reference: '7K3MQ2WD', clientId: 'an app', network: HERE }
  const outcome = facts.reason === undefined ? 'ok' : 'refused'
  return { type: 'step', ...known, at: START + after, step: name, outcome, ...facts }
}

/** Guards report every call. */
function verdictAt(after: number, steps: readonly StepEvent[], others?: readonly StepEvent[]) {
  return verdictOf(steps, START + after, others, () => true)
}

const idAt = (...input: Parameters<typeof verdictAt>) => verdictAt(...input).id

const REQUESTED = [
  step(0, 'requested', { redirectUri: 'http://127.0.0.1/callback' }),
  step(0, 'client_found'),
]
const CONSENT = [...REQUESTED, step(1, 'sign_in_shown'), step(20, 'signed_in'), step(20, 'consent_shown')]
const SENT_BACK = [...CONSENT, step(30, 'allowed', { scopes: ['openid'] }), step(30, 'sent_back')]
const REDEEMED = [...SENT_BACK, step(31, 'code_redeemed', { resource: 'https://api.example/mcp' })]

describe('an attempt that an error stopped', () => {
  it('has the verdict of its reason', () => {
    const steps = [step(0, 'requested'), step(0, 'request_refused', { reason: 'challenge_missing' })]
    expect(verdictAt(0, steps)).toMatchObject({
      id: 'challenge_missing',
      by: 'app',
      sentence: expect.stringContaining('without PKCE'),
      compared: [],
    })
  })

  it('has the verdict of the last error', () => {
    const steps = [
      ...SENT_BACK,
      step(31, 'code_redeemed', { reason: 'code_redirect_uri_missing' }),
      step(32, 'code_redeemed', { reason: 'code_verifier_missing' }),
    ]
    expect(idAt(40, steps)).toBe('code_verifier_missing')
  })

  it('is not stopped if the same step succeeded later', () => {
    const refused = step(31, 'code_redeemed', { reason: 'code_verifier_missing' })
    const redeemed = [...SENT_BACK, refused, step(32, 'code_redeemed')]
    expect(idAt(40, redeemed)).toBe('in_progress')
    expect(idAt(40, [...redeemed, step(33, 'first_call')])).toBe('succeeded')
  })

  it('is still stopped if only an earlier step was repeated', () => {
    const refused = step(31, 'code_redeemed', { reason: 'code_verifier_missing' })
    expect(idAt(40, [...SENT_BACK, refused, step(35, 'requested'), step(35, 'consent_shown')])).toBe(
      'code_verifier_missing',
    )
  })

  it('is still stopped if only a later error, of an earlier step, was overcome', () => {
    const refused = step(31, 'code_redeemed', { reason: 'code_verifier_missing' })
    const overcome = [step(35, 'request_refused', { reason: 'scope_unknown' }), step(36, 'sign_in_shown')]
    expect(idAt(40, [...SENT_BACK, refused, ...overcome])).toBe('code_verifier_missing')
  })

  it('has the verdict of the end of its grant, and not of what follows from that', () => {
    const ended = step(40, 'ended', { reason: 'code_replayed', by: 'server' })
    const refused = step(50, 'first_call', { reason: 'bearer_unknown' })
    expect(idAt(60, [...REDEEMED, ended, refused])).toBe('code_replayed')
  })

  it.each([
    ['client', 'app', 'The app ended its access'],
    ['user', 'user', 'The user disconnected'],
    ['operator', 'operator', 'The operator ended'],
    ['server', 'user', 'the session ended'],
  ] as const)('that the %s ended says so, and who can undo it: the %s', (by, party, words) => {
    expect(verdictAt(60, [...REDEEMED, step(40, 'ended', { by })])).toMatchObject({
      ...{ id: 'grant_ended', by: party, sentence: expect.stringContaining(words) },
    })
  })

  it('keeps its verdict when its grant ends later, unless the app had used it or the end has a cause of its own', () => {
    const refused = [...SENT_BACK, step(31, 'code_redeemed', { reason: 'client_basic_not_offered' })]
    const ended = step(900, 'ended', { by: 'operator' })
    expect(idAt(901, [...refused, ended])).toBe('client_basic_not_offered')
    expect(idAt(901, [...refused, step(900, 'ended', { reason: 'code_replayed', outcome: 'ok' })])).toBe(
      'code_replayed',
    )
    const used = [...REDEEMED, step(32, 'first_call'), step(40, 'first_call', { reason: 'bearer_expired' })]
    expect(idAt(901, [...used, ended])).toBe('grant_ended')
  })

  it('of a static client is no matter of registering again', () => {
    const reason = 'redirect_uri_not_registered'
    const words = (clientKind: StepFacts['clientKind']) =>
      verdictAt(0, [step(0, 'request_refused', { reason, clientKind })])
    expect(words('registered').fix).toContain('Remove the connection')
    expect(words('integration').fix).toContain('`clients update <client_id> --redirect-uri <uri>`')
    expect(words('integration').fix).not.toContain('Remove the connection')
    for (const kind of ['integration', 'document'] as const)
      expect(words(kind).toDeveloper, kind).toMatch(/add (it|the address)/)
  })

  it('keeps the reason of a feature, with general words', () => {
    const verdict = verdictAt(0, [step(0, 'request_refused', { reason: 'badge_missing' })])
    expect(verdict).toMatchObject({ id: 'badge_missing', sentence: expect.stringContaining('feature') })
  })

  it('is unexplained if its error has no reason', () => {
    expect(idAt(0, [step(0, 'request_refused', { outcome: 'refused' })])).toBe('unexplained')
  })

  it('whose grant a feature ended has the verdict of an ended grant', () => {
    expect(idAt(60, [...REDEEMED, step(40, 'ended', { reason: 'badge_lost', by: 'server' })])).toBe(
      'grant_ended',
    )
  })
})

describe('an attempt without an error', () => {
  it('has nothing to compare', () => {
    expect(verdictAt(90, SENT_BACK)).toMatchObject({ id: 'code_not_redeemed', compared: [] })
  })

  it('is no fault of anybody if no guard here reports the calls of the API', () => {
    const asked: (readonly string[])[] = []
    const reportsCalls = (resources: readonly string[]) => asked.push(resources) > 10
    for (const after of [32, 5000])
      expect(verdictOf(REDEEMED, START + after, [], reportsCalls)).toMatchObject({
        ...{ id: 'tokens_issued', by: 'none' },
      })
    expect(asked).toEqual([['https://api.example/mcp'], ['https://api.example/mcp']])
    verdictOf([...SENT_BACK, step(31, 'code_redeemed')], START + 32, [], reportsCalls)
    expect(asked.at(-1), 'a token for every resource').toEqual([])
    expect(verdictOf(REDEEMED, START + 5000).id, 'by default').toBe('tokens_issued')
  })

  it.each<[string, StepEvent[], number, string]>([
    ['nothing came after the registration', [step(0, 'registered')], 600, 'never_requested'],
    ['the user does not sign in', [...REQUESTED, step(1, 'sign_in_shown')], 601, 'sign_in_left'],
    ['the user does not answer the consent page', CONSENT, 620, 'consent_left'],
    ['no token request comes', SENT_BACK, 90, 'code_not_redeemed'],
    ['no call of the API comes', REDEEMED, 151, 'token_not_used'],
  ])('in which %s is unfinished until that is overdue', (_, steps, overdue, finding) => {
    expect(idAt(overdue - 1, steps)).toBe('in_progress')
    expect(idAt(overdue, steps)).toBe(finding)
  })

  it('whose client has steps of another reference is a registration that was used', () => {
    expect(idAt(9000, [step(0, 'registered', { reference: 'A' })], REQUESTED)).toBe('in_progress')
    const refused = [step(5, 'client_found', { reference: 'B', reason: 'redirect_uri_not_registered' })]
    expect(idAt(9000, [step(0, 'registered', { reference: 'A' })], refused)).toBe('in_progress')
    expect(idAt(9000, [step(0, 'registered', { clientId: 'another app' })], REQUESTED)).toBe(
      'never_requested',
    )
  })

  it('lost the cookie of the sign-in if that page comes three times', () => {
    const shown = [1, 20, 40].map((after) => step(after, 'sign_in_shown'))
    expect(idAt(41, [...REQUESTED, ...shown.slice(1)])).toBe('in_progress')
    expect(idAt(41, [...REQUESTED, ...shown])).toBe('sign_in_repeated')
  })

  it('whose user signed in between did not lose it', () => {
    const signIns = [1, 20, 40].flatMap((after) => [
      step(after, 'sign_in_shown'),
      step(after + 5, 'signed_in'),
    ])
    expect(idAt(46, [...REQUESTED, ...signIns, step(46, 'sign_in_shown')])).toBe('in_progress')
  })
})

describe('an app that begins another attempt', () => {
  const another = (after: number, facts: Facts = {}) => step(after, 'requested', { reference: 'B', ...facts })
  const denied = [...CONSENT, step(30, 'denied', { outcome: 'refused', reason: 'consent_denied' })]

  it('right after a denial is in a loop', () => {
    expect(idAt(40, denied, [another(31)])).toBe('requested_after_denial')
  })

  it('right after it was sent a code has lost its state', () => {
    expect(idAt(40, SENT_BACK, [another(32)])).toBe('requested_after_code')
  })

  it('after another error than a denial is in no loop', () => {
    const refused = step(30, 'code_redeemed', { reason: 'code_verifier_missing' })
    expect(idAt(40, [...SENT_BACK, refused], [another(31)])).toBe('code_verifier_missing')
  })

  it('is not the user who looks at the page of the same attempt again', () => {
    const again = [...denied, step(31, 'requested'), step(31, 'consent_shown')]
    expect(idAt(40, again, again)).toBe('consent_denied')
    expect(idAt(40, [...SENT_BACK, step(31, 'requested'), step(31, 'consent_shown')])).toBe('in_progress')
  })

  it.each<[string, StepEvent[]]>([
    ['before the denial', [another(29)]],
    ['a minute later', [another(90)]],
    ['for a user elsewhere', [another(31, { network: ELSEWHERE })]],
    ['as another client', [another(31, { clientId: 'another app' })]],
  ])('%s is in no loop', (_, others) => {
    expect(idAt(100, denied, others)).toBe('consent_denied')
  })
})

it('a verdict compares the client that sent a refresh token, and the client that it was issued to', () => {
  const error = { reason: 'refresh_token_of_other_client', clientId: 'another app', expected: 'an app' }
  expect(verdictAt(600, [...REDEEMED, step(600, 'request_refused', error)]).compared).toEqual([
    { label: 'client of the request', value: 'another app' },
    { label: 'issued to the client', value: 'an app' },
  ])
})
