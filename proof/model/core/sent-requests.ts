import type { IssuedById } from './issued.ts'
import type { Replicas } from './replicas.ts'
import { HeldRequest, type Progress } from './request.ts'

interface Sent {
  readonly kind: string
  /** The id of the refresh token that it presents. */
  readonly token: number
  /** The id of what it gets, if that is new. */
  readonly salt: number
  held?: HeldRequest
  /** The id of what it got. */
  answer?: number
}

/** What the model says after a step. */
interface Expected {
  readonly grant: { readonly id?: unknown; readonly redeemed: { readonly id: number } }
  readonly last: { readonly what: string; readonly result: string }
}

/** The requests of a trace that are on their way, by the slot of the model. */
export class SentRequests {
  readonly #sent = new Map<number, Sent>()
  readonly #issued: IssuedById

  constructor(issued: IssuedById) {
    this.#issued = issued
  }

  send(slot: number, sent: Sent): void {
    this.#sent.set(slot, { ...sent })
  }

  lose(slot: number): void {
    this.#sent.delete(slot)
  }

  /** @returns its result, in the words of the model */
  async arrive(slot: number, real: Replicas, replica: number, expected: Expected): Promise<string> {
    const sent = this.#of(slot)
    const { kind } = sent
    const token = kind === 'refresh' ? this.#issued.refreshToken(sent.token) : undefined
    sent.held = new HeldRequest((gate) => real.arrive({ kind, token }, replica, gate))
    const progress = await sent.held.progress()
    if (progress.kind === 'refused' || progress.kind === 'pending') this.#sent.delete(slot)
    return this.#see(sent, progress, expected)
  }

  /** @param how what its store does. @returns its result, in the words of the model */
  async goOn(slot: number, how: 'write' | 'fail', expected: Expected): Promise<string> {
    const sent = this.#of(slot)
    const at = await sent.held?.progress()
    if (at === undefined) throw new Error(`Request ${slot} has not arrived`)
    const after = (at.kind === 'waits' ? await sent.held?.goOn(how) : at) ?? at
    const result = this.#see(sent, after, expected)
    // A lost race decides again, and the answer is still to come.
    if (expected.last.what !== 'again' || after.kind === 'refused') this.#sent.delete(slot)
    // What the store did not do has no result.
    if (how === 'fail') return ''
    return at.kind === 'waits' && at.ends && after.kind === 'refused' ? 'ended' : result
  }

  /** The result that the model shows: of a request that waits, what it decided. */
  #see(sent: Sent, progress: Progress, { grant, last }: Expected): string {
    const { kind } = progress
    if (kind === 'waits') return progress.ends ? 'ended' : decided(last.result)
    if (kind !== 'answered') return kind
    const { retried } = progress.result
    // A pair that is given again: the first one, or the one that was the newest when this was decided.
    const repeated = sent.kind === 'poll' ? grant.redeemed.id : Number(grant.id)
    sent.answer ??= retried === undefined ? sent.salt : repeated
    this.#issued.note(sent.answer, progress.result)
    return retried === undefined ? 'issued' : retried === 'late' ? 'late' : 'retry'
  }

  #of(slot: number): Sent {
    const sent = this.#sent.get(slot)
    if (sent === undefined) throw new Error(`There is no request ${slot}`)
    return sent
  }
}

/** Whether a waiting request repeats or issues shows in its answer. */
function decided(result: string): string {
  return ['issued', 'retry', 'late'].includes(result) ? result : 'a write'
}
