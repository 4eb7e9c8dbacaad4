import { setTimeout as delay } from 'node:timers/promises'
import type { Attempt, Outcome } from '../bursts/attempt.ts'
import { type Start, sendTogether, sendTorn } from '../bursts/burst.ts'
import { readAnswer } from '../bursts/read-answer.ts'
import { Approvals } from './approvals.ts'
import { Attempts } from './attempts.ts'
import type { Bench } from './bench.ts'
import type { Grant, HeldGrant } from './grant.ts'
import { Leftovers } from './leftovers.ts'
import type { Sender } from './sender.ts'

/** How a check acts: it gets grants, sends requests alone or at once, and everything is in the history. */
export class Stage implements Sender {
  readonly bench: Bench
  readonly attempts: Attempts
  readonly leftovers: Leftovers
  readonly #approvals: Approvals

  /** @param prefix of the names of its families */
  constructor(bench: Bench, prefix = 'g', leftovers = new Leftovers()) {
    this.bench = bench
    this.attempts = new Attempts(bench)
    this.leftovers = leftovers
    this.#approvals = new Approvals(bench, prefix)
  }

  /** A grant with a code. @throws NoApproval */
  approve(scope?: readonly string[]): Promise<Grant> {
    return this.#approvals.byCode(scope)
  }

  /** A device that waits for its user. */
  startDevice(): Promise<Grant> {
    return this.#approvals.startDevice()
  }

  approveDevice(grant: Grant): Promise<void> {
    return this.#approvals.approveDevice(grant)
  }

  deny(grant: Grant): Promise<void> {
    return this.#approvals.deny(grant)
  }

  /** A grant with tokens, by any way. @throws NoApproval when the server does not give a refresh token */
  async hold(scope?: readonly string[]): Promise<HeldGrant> {
    return this.#approvals.held(this, scope)
  }

  /** Sends one request and waits for its answer. */
  async send(attempt: Attempt): Promise<Outcome> {
    const { transport } = this.bench
    return this.#read(attempt, await transport.send(attempt.request, attempt.replica))
  }

  /** The answer arrives, and the client does not see it. */
  async sendForgotten(attempt: Attempt): Promise<Outcome> {
    const { transport } = this.bench
    return this.#read(attempt, await transport.send(attempt.request, attempt.replica), true)
  }

  /** The socket goes away before the answer. */
  async sendTorn(attempt: Attempt, afterMs: number): Promise<Outcome> {
    const { transport, budget } = this.bench
    return this.#read(attempt, await sendTorn(transport, budget, attempt, afterMs))
  }

  async burst(attempts: readonly Attempt[], start: Start = 'together'): Promise<readonly Outcome[]> {
    const { transport, budget, random } = this.bench
    const deliveries = await sendTogether(transport, budget, attempts, { start, random })
    return attempts.flatMap((attempt, at) => {
      const delivery = deliveries[at]
      return delivery === undefined ? [] : [this.#read(attempt, delivery)]
    })
  }

  wait(seconds: number): Promise<void> {
    return delay(seconds * 1000)
  }

  #read(attempt: Attempt, delivery: Parameters<typeof readAnswer>[2], hidden = false): Outcome {
    const outcome = readAnswer(this.bench.recorder, attempt, delivery, hidden)
    this.leftovers.note(attempt, outcome)
    return outcome
  }
}
