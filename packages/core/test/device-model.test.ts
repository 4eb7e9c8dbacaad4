import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bodyOf, type TokenAnswer } from './client.ts'
import { type DeviceService, openDeviceService, type Started } from './device-service.ts'

/**
 * One device request against any order of decisions, polls and time. The model knows the first decision and its result;
 * every poll must agree.
 */

type Decision = 'allow' | 'deny'
type Step =
  | { readonly kind: 'show' | 'poll' | 'foreign poll' | 'revoke' }
  | { readonly kind: 'answer'; readonly user: string; readonly decision: Decision }
  | { readonly kind: 'wait'; readonly seconds: number }

const user = fc.constantFrom('alice', 'bob')
const steps = fc.array(
  fc.oneof<fc.Arbitrary<Step>[]>(
    fc.record({ kind: fc.constantFrom('poll', 'poll', 'foreign poll', 'revoke') }),
    fc.record({
      kind: fc.constant('answer'),
      user,
      decision: fc.constantFrom<Decision>('allow', 'allow', 'deny'),
    }),
    fc.record({ kind: fc.constant('wait'), seconds: fc.constantFrom(1, 30, 60, 300, 540) }),
  ),
  { maxLength: 12 },
)

class World {
  readonly #opened: DeviceService
  readonly #started: Started
  readonly #other: string
  readonly #begun: number
  #first: { readonly user: string; readonly decision: Decision } | undefined
  #tokens: { readonly answer: TokenAnswer; readonly at: number } | undefined
  #over = false

  constructor(opened: DeviceService, started: Started, other: string) {
    this.#opened = opened
    this.#started = started
    this.#other = other
    this.#begun = this.#now
  }

  get #now(): number {
    return this.#opened.service.clock.now
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'wait') this.#opened.service.clock.now += step.seconds
    else if (step.kind === 'answer') await this.#answer(step.user, step.decision)
    else if (step.kind === 'revoke') await this.#revoke()
    else if (step.kind === 'poll') await this.#poll()
    else await this.#pollAsOther()
  }

  /** Both users have the page open from the beginning. */
  async #answer(who: string, decision: Decision): Promise<void> {
    const { answer, shown, enter } = this.#opened
    const cookie = `user=${who}@${this.#now}`
    const { body } = await enter(this.#started.user_code, cookie)
    const answerable = this.#first === undefined && this.#now - this.#begun < 600
    expect(body).toBe(answerable ? 'device' : 'code')
    if (!answerable) return
    expect((await answer(decision, cookie, shown.device)).body).toBe('answered')
    this.#first = { user: who, decision }
  }

  async #revoke(): Promise<void> {
    const { grants } = this.#opened.service.server
    const held = (await Promise.all(['alice', 'bob'].map((name) => grants.list(name)))).flatMap(
      (page) => page.grants,
    )
    expect(held.length).toBeLessThanOrEqual(1)
    for (const { id } of held) {
      expect(this.#first?.decision).toBe('allow')
      await grants.revoke(String(this.#first?.user), id)
      this.#over = true
    }
  }

  async #poll(): Promise<void> {
    const answer = await this.#opened.poll(this.#started)
    const expected = this.#expected()
    expect(answer.status === 200 ? 'tokens' : bodyOf(answer).error).toBe(expected)
    if (answer.status === 200) this.#remember(bodyOf<TokenAnswer>(answer))
    else if (expected === 'invalid_grant' && this.#tokens !== undefined) this.#over = true
  }

  #expected(): string {
    const age = this.#now - this.#begun
    if (this.#over) return 'invalid_grant'
    // The refresh token is not used, so the response is repeated for fifteen minutes.
    if (this.#tokens !== undefined) return this.#now - this.#tokens.at < 900 ? 'tokens' : 'invalid_grant'
    // A grant is kept for a minute longer than its request, for replicas whose clocks differ.
    if (age >= (this.#first?.decision === 'allow' ? 960 : 900)) return 'invalid_grant'
    if (this.#first?.decision === 'deny') return 'access_denied'
    if (age >= 600) return 'expired_token'
    return this.#first === undefined ? 'authorization_pending' : 'tokens'
  }

  /** Every answer has the same tokens. */
  #remember(answer: TokenAnswer): void {
    this.#tokens ??= { answer, at: this.#now }
    const { access_token, refresh_token } = this.#tokens.answer
    expect(answer).toMatchObject({ access_token, refresh_token })
  }

  async #pollAsOther(): Promise<void> {
    const answer = await this.#opened.poll(this.#started, { client_id: this.#other })
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_grant'])
  }
}

it('every poll returns the first decision, and any number of polls issues one pair of tokens', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const opened = await openDeviceService()
      const other = await opened.service.server.clients.add({
        clientName: 'Other',
        redirectUris: [],
        tokenEndpointAuthMethod: 'none',
        grantTypes: ['urn:ietf:params:oauth:grant-type:device_code'],
      })
      const world = new World(opened, await opened.start(), other.clientId)
      for (const step of taken) await world.take(step)
    }),
    { numRuns: 300 },
  )
})
