import { describe, expect, it } from 'vitest'
import { createFlightRecorder } from './flight-recorder.ts'
import type { StepEvent } from './sign-in-steps.ts'

const NOW = 1_800_000_000
const numbered = (count: number) => Array.from({ length: count }, (_, index) => index)

/** A reference of 8 characters. */
const named = (number: number) => String(number).padStart(8, '0')

function stepOf(reference: string, more: Partial<StepEvent> = {}): StepEvent {
  return { type: 'step', reference, at: NOW, step: 'requested', outcome: 'ok', ...more }
}

/** One refused request each, from as many networks as there are addresses. */
function flooded(
  recorder: ReturnType<typeof createFlightRecorder>,
  requests: number,
  networks: number,
): void {
  const refused = {
    step: 'request_refused',
    outcome: 'refused',
    reason: 'redirect_uri_not_registered',
  } as const
  const facts = { endpoint: '/oauth/authorize', status: 400, redirectUri: 'https://app.example/callback' }
  for (const number of numbered(requests)) {
    const network = `10.${(number % networks) >> 8}.${(number % networks) & 255}.0/24`
    recorder.onEvent({
      ...stepOf(named(number), { ...refused, ...facts, network, clientId: `c${number % 300}` }),
    })
  }
}

describe('the flight recorder', () => {
  it('joins the steps of an attempt by its reference', () => {
    const recorder = createFlightRecorder()
    for (const step of ['requested', 'sign_in_shown'] as const)
      recorder.onEvent(stepOf('7K3MQ2WD', { step, clientId: 'app' }))
    recorder.onEvent(stepOf('00000000'))
    recorder.onEvent({ type: 'refused' })
    expect(recorder.attempt('7K3MQ2WD')).toEqual({
      reference: '7K3MQ2WD',
      steps: [
        stepOf('7K3MQ2WD', { clientId: 'app' }),
        stepOf('7K3MQ2WD', { step: 'sign_in_shown', clientId: 'app' }),
      ],
      omitted: 0,
    })
    expect(recorder.attempt('ZZZZZZZZ')).toBeUndefined()
  })

  it('keeps the first twelve steps of an attempt and the latest twelve', () => {
    const recorder = createFlightRecorder()
    for (const at of numbered(40)) recorder.onEvent(stepOf('7K3MQ2WD', { at }))
    const { steps, omitted } = recorder.attempt('7K3MQ2WD') ?? { steps: [], omitted: 0 }
    expect(steps.map(({ at }) => at)).toEqual([...numbered(12), ...numbered(12).map((at) => 28 + at)])
    expect(omitted).toBe(16)
  })

  it('lists the latest attempts by client, by user, and those that failed', () => {
    const recorder = createFlightRecorder()
    const facts: Partial<StepEvent>[] = [
      { clientId: 'app' },
      { clientId: 'app', outcome: 'refused', reason: 'scope_unknown' },
      { clientId: 'other', subject: 'alice' },
      { subject: 'alice', outcome: 'failed' },
    ]
    for (const [number, more] of facts.entries()) recorder.onEvent(stepOf(named(number), more))
    const list = (filter?: object) => recorder.recent(filter).map(({ reference }) => Number(reference))
    expect(list()).toEqual([3, 2, 1, 0])
    expect(list({ limit: 2 })).toEqual([3, 2])
    expect(list({ clientId: 'app' })).toEqual([1, 0])
    expect(list({ subject: 'alice' })).toEqual([3, 2])
    expect(list({ failed: true })).toEqual([3, 1])
    expect(list({ failed: true, clientId: 'app' })).toEqual([1])
    recorder.onEvent(stepOf(named(0), { step: 'ended', at: NOW + 1 }))
    expect(list({ limit: 1 }), 'the one that was heard of last').toEqual([0])
  })

  it('finds an attempt by any of its steps', () => {
    const recorder = createFlightRecorder()
    const facts = { clientId: 'app', subject: 'alice', outcome: 'refused' } as const
    for (const more of [{}, facts, {}]) recorder.onEvent(stepOf('7K3MQ2WD', more))
    for (const filter of [{ clientId: 'app' }, { subject: 'alice' }, { failed: true }])
      expect(recorder.recent(filter), JSON.stringify(filter)).toHaveLength(1)
  })

  it('begins no attempt with the success of a later step, and one with its error', () => {
    const recorder = createFlightRecorder()
    for (const [number, step] of (['code_redeemed', 'refreshed', 'first_call'] as const).entries()) {
      recorder.onEvent(stepOf(named(number), { step }))
      expect(recorder.attempt(named(number)), step).toBeUndefined()
      recorder.onEvent(stepOf(named(number), { step, outcome: 'refused' }))
      recorder.onEvent(stepOf(named(number), { step }))
      expect(recorder.attempt(named(number))?.steps, step).toHaveLength(2)
    }
  })

  it('forgets the attempts of a user', () => {
    const recorder = createFlightRecorder()
    recorder.onEvent(stepOf(named(0), { subject: 'alice' }))
    recorder.onEvent(stepOf(named(1), { subject: 'bob' }))
    recorder.forget('alice')
    expect(recorder.recent().map(({ reference }) => reference)).toEqual([named(1)])
  })

  it('can keep a single attempt', () => {
    const recorder = createFlightRecorder({ keep: 1 })
    for (const number of numbered(3)) recorder.onEvent(stepOf(named(number)))
    expect(recorder.recent().map(({ reference }) => reference)).toEqual([named(2)])
  })

  it.each([0, 5001, 1.5, Number.NaN])('cannot keep %j attempts', (keep) => {
    expect(() => createFlightRecorder({ keep })).toThrow('keep must be a whole number from 1 to 5000')
  })
})

describe('a flood', () => {
  it.each([
    ['of a network, at most 50 attempts', { network: '203.0.113.0/24' }, 50],
    ['of a user, at most 50 attempts', { subject: 'alice' }, 50],
    ['of a client without users, at most 500 attempts', { clientId: 'app' }, 500],
    ['at most as many attempts as are kept', {}, 1000],
  ])('leaves %s', (_, facts, most) => {
    const recorder = createFlightRecorder({ keep: 1000 })
    for (const number of numbered(most + 10)) recorder.onEvent(stepOf(named(number), facts))
    const kept = recorder.recent({ limit: 10_000 })
    expect([kept.length, kept.at(-1)?.reference, kept[0]?.reference]).toEqual([
      most,
      named(10),
      named(most + 9),
    ])
  })

  it('displaces itself: the oldest attempt of the network with the most goes first', () => {
    const recorder = createFlightRecorder({ keep: 4 })
    const networks = ['user', 'flood', 'flood', 'flood', 'flood', 'other', 'other']
    for (const [number, network] of networks.entries()) recorder.onEvent(stepOf(named(number), { network }))
    expect(recorder.recent().map(({ reference }) => Number(reference))).toEqual([6, 5, 4, 0])
  })

  it('displaces no attempt of a user, however many networks it comes from', () => {
    const recorder = createFlightRecorder({ keep: 3 })
    recorder.onEvent(stepOf('7K3MQ2WD', { network: 'user' }))
    recorder.onEvent(stepOf('7K3MQ2WD', { step: 'signed_in', network: 'user', subject: 'alice' }))
    for (const number of numbered(10)) recorder.onEvent(stepOf(named(number), { network: `flood ${number}` }))
    expect(recorder.recent().map(({ reference }) => reference)).toEqual([named(9), named(8), '7K3MQ2WD'])
  })

  it('of a client from any number of networks displaces no attempt of a user of that client', () => {
    const recorder = createFlightRecorder()
    recorder.onEvent(stepOf('7K3MQ2WD', { clientId: 'app', subject: 'alice' }))
    for (const number of numbered(600))
      recorder.onEvent(stepOf(named(number), { clientId: 'app', network: `flood ${number % 20}` }))
    expect(recorder.attempt('7K3MQ2WD')).toBeDefined()
    expect(recorder.recent({ clientId: 'app', limit: 1000 })).toHaveLength(501)
  })

  it('displaces no attempt that another user began', () => {
    const recorder = createFlightRecorder()
    for (const subject of ['alice', 'bob']) recorder.onEvent(stepOf('7K3MQ2WD', { subject }))
    for (const number of numbered(50)) recorder.onEvent(stepOf(named(number), { subject: 'bob' }))
    expect(recorder.recent({ limit: 100 })).toHaveLength(51)
  })

  it('of 20,000 refused requests from 1,000 networks leaves the attempt of a user, in less than 4 MiB', () => {
    const recorder = createFlightRecorder()
    recorder.onEvent(stepOf('7K3MQ2WD', { network: '203.0.113.0/24', subject: 'alice' }))
    flooded(recorder, 20_000, 1000)
    expect(recorder.attempt('7K3MQ2WD')?.steps).toHaveLength(1)
    const kept = recorder.recent({ limit: 10_000 })
    const texts = kept.flatMap(({ steps }) => steps.map((step) => JSON.stringify(step).length))
    expect(kept.length).toBeGreaterThan(3000)
    expect(kept.length).toBeLessThanOrEqual(5000)
    expect(texts.reduce((sum, length) => sum + length, 0)).toBeLessThan(4 * 1024 * 1024)
  })

  it('of many short steps fits: each is counted once', () => {
    const recorder = createFlightRecorder()
    for (const number of numbered(24 * 200)) recorder.onEvent(stepOf(named(number % 200)))
    expect(recorder.recent({ limit: 10_000 })).toHaveLength(200)
  })

  it('of long steps is bounded by their bytes', () => {
    const recorder = createFlightRecorder()
    for (const number of numbered(5000))
      recorder.onEvent(stepOf(named(number), { redirectUri: `https://a.example/${'x'.repeat(2000)}` }))
    expect(recorder.recent({ limit: 10_000 }).length).toBeLessThan(2100)
  })
})
