/** Replays traces of the model through the rules of core, on a real store. */
import { withoutAccessToken } from '../../src/grants/access-tokens.ts'
import { redeemCode } from '../../src/grants/authorization-code.ts'
import { changeGrant, endedGrant, keptUntil } from '../../src/grants/change-grant.ts'
import { type IssuedTokens, type Outcome, openGrant } from '../../src/grants/grant.ts'
import { rotateRefreshToken } from '../../src/grants/refresh-token-rotation.ts'
import type { Grant } from '../../src/kernel/records.ts'
import { type GrantId, type Secret, sha256 } from '../../src/kernel/secrets.ts'
import type { Store } from '../../src/kernel/store.ts'
import { narrowToken } from '../../src/token-exchange/narrowing.ts'
import { IssuedById, type ModelGrant, sorted } from './issued.ts'
import type { Step } from './itf.ts'
import { HeldRequest, kernelOf, type Progress, revoke } from './request.ts'
import { APPROVAL, CODE, FAMILY, LIFETIMES, MODEL, REQUEST, seconds, TERMS, VERIFIER } from './terms.ts'

const THIEF = 2

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

/** The state of the model, as far as the replay reads it. */
interface ModelState {
  readonly now: number
  readonly skew: ReadonlyMap<number, number>
  readonly grant: ModelGrant
  readonly app: { readonly holds: { readonly id: number } }
  readonly thief: { readonly holds: { readonly id: number } }
  readonly last: { readonly what: string; readonly result: string }
}

interface Picks {
  readonly r: number
  readonly slot: number
  readonly kind: string
  readonly a: { readonly id: number }
}

/** One grant in a store. @param clock epoch seconds of the store; the replay sets it */
export class Replay {
  readonly #issued = new IssuedById()
  readonly #sent = new Map<number, Sent>()
  readonly #grants: Store['grants']
  readonly #clock: { now: number }
  readonly #id: GrantId
  #state: ModelState
  #minted = 0
  /** What a failover brings back: the record without its last rotation. */
  #before: Grant | undefined
  #newest: Grant | undefined
  /** The result of the last request, in the words of the model. */
  #result = ''

  constructor(store: Store, clock: { now: number }, id: string, first: Step) {
    this.#grants = store.grants
    this.#clock = clock
    this.#id = id as GrantId
    this.#state = first.state as unknown as ModelState
    clock.now = seconds(0)
  }

  /** Does to the real grant what the model did. @returns what differs afterwards: first the model, then core */
  async take({ action, picks, state }: Step): Promise<{ readonly model: unknown; readonly core: unknown }> {
    const before = this.#state
    this.#state = state as unknown as ModelState
    this.#clock.now = seconds(this.#state.now)
    this.#result = ''
    await this.#act(action, picks as unknown as Picks, before)
    const stored = await this.#grants.find(this.#id)
    this.#follow(stored?.value)
    const { grant, last } = this.#state
    return {
      model: { result: last.result, grant: inOrder(grant, this.#state.now) },
      core: { result: this.#result, grant: this.#issued.inModel(stored?.value) },
    }
  }

  async #act(action: string, picks: Picks, { app, thief }: ModelState): Promise<void> {
    if (action === 'approve') await this.#approve(picks.r)
    else if (action === 'deny') await this.#deny()
    else if (action === 'sendCode') this.#send(0, 'code', -1)
    else if (action === 'sendRefresh') this.#send(picks.slot, 'refresh', app.holds.id)
    else if (action === 'thiefSends') this.#send(THIEF, picks.kind, thief.holds.id)
    else if (action === 'arrive') await this.#arrive(picks.slot, picks.r)
    else if (action === 'answer' || action === 'loseAnswer') await this.#goOn(picks.slot, 'write')
    else if (action === 'failBefore') await this.#goOn(picks.slot, 'fail')
    else if (action === 'loseRequest') this.#sent.delete(picks.slot)
    else if (action === 'revoke') await revoke(this.#grants, this.#now(0), this.#id)
    else if (action === 'revokeAccess') await this.#revokeAccess(picks)
    else if (action === 'exchange') await this.#exchange(picks)
    else if (action === 'failover') await this.#failOver()
    else if (!['tick', 'clockStep', 'steal'].includes(action)) throw new Error(`The replay has no ${action}`)
  }

  #follow(stored: Grant | undefined): void {
    const before = this.#newest?.refresh?.generation
    const rotates = before !== undefined && Number(stored?.refresh?.generation) > before
    const isNew = JSON.stringify(stored) !== JSON.stringify(this.#newest)
    if (isNew) this.#before = rotates ? this.#newest : stored
    this.#newest = stored
  }

  async #failOver(): Promise<void> {
    const back = this.#before
    await this.#grants.remove(this.#id)
    if (back) await this.#grants.insert(this.#id, back, keptUntil(back))
    this.#newest = back
  }

  /** The clock of a replica, whenever it is read. */
  #now(replica: number): () => number {
    return () => seconds(this.#state.now + (this.#state.skew.get(replica) ?? 0))
  }

  async #approve(replica: number): Promise<void> {
    const approval = { ...APPROVAL, id: this.#id, ticketEndsAt: seconds(MODEL.ticket) }
    const grant = openGrant(approval, this.#now(replica)(), LIFETIMES)
    await this.#grants.insert(this.#id, grant, keptUntil(grant))
  }

  async #deny(): Promise<void> {
    const ticketEndsAt = seconds(MODEL.ticket)
    await this.#grants.insert(this.#id, endedGrant(this.#id, this.#now(0)(), ticketEndsAt), ticketEndsAt)
  }

  #send(slot: number, kind: string, token: number): void {
    this.#sent.set(slot, { kind, token, salt: this.#minted++ })
  }

  async #arrive(slot: number, replica: number): Promise<void> {
    const sent = this.#of(slot)
    const now = this.#now(replica)
    const arrivedAt = now()
    const transition = (grant: Grant) => this.#decide(grant, sent, arrivedAt, now())
    sent.held = new HeldRequest(this.#grants, now, this.#id, transition)
    this.#see(slot, sent, await sent.held.progress())
  }

  #decide(grant: Grant, { kind, token, salt }: Sent, arrivedAt: number, now: number): Outcome<IssuedTokens> {
    const secret = (use: string) => sha256(`${use} ${salt}`) as string as Secret
    if (kind === 'refresh') {
      const presented = this.#issued.refreshToken(token)
      const request = { ...REQUEST, token: presented, arrivedAt, salt: secret('salt').slice(0, 22) }
      return rotateRefreshToken(grant, request, now, TERMS)
    }
    const fresh = { accessToken: secret('access'), family: FAMILY, refreshToken: secret('refresh') }
    const verifier = kind === 'code' ? VERIFIER : 'w'.repeat(43)
    return redeemCode(grant, { ...REQUEST, code: CODE, verifier, fresh }, now, TERMS)
  }

  async #goOn(slot: number, how: 'write' | 'fail'): Promise<void> {
    const sent = this.#of(slot)
    const at = await sent.held?.progress()
    if (at === undefined) throw new Error(`Request ${slot} has not arrived`)
    const after = at.kind === 'waits' ? await sent.held?.goOn(how) : at
    this.#see(slot, sent, after ?? at)
    if (at.kind === 'waits' && at.ends && after?.kind === 'refused') this.#result = 'ended'
    // What the store did not do has no result.
    if (how === 'fail') this.#result = ''
    // A lost race decides again, and the answer is still to come.
    if (this.#state.last.what !== 'again') this.#sent.delete(slot)
  }

  /** The result that the model shows: of a request that waits, what it decided. */
  #see(slot: number, sent: Sent, progress: Progress): void {
    if (progress.kind === 'refused') this.#sent.delete(slot)
    if (progress.kind !== 'answered') {
      this.#result = progress.kind === 'refused' ? 'refused' : progress.ends ? 'ended' : this.#decided()
      return
    }
    const { retried } = progress.result
    this.#result = retried === undefined ? 'issued' : retried === 'late' ? 'late' : 'retry'
    // The pair that was the newest when this was decided.
    sent.answer ??= retried === undefined ? sent.salt : Number(this.#state.grant.id)
    this.#issued.note(sent.answer, progress.result)
  }

  /** Whether a waiting request repeats or issues shows in its answer. */
  #decided(): string {
    const { result } = this.#state.last
    return ['issued', 'retry', 'late'].includes(result) ? result : 'a write'
  }

  #of(slot: number): Sent {
    const sent = this.#sent.get(slot)
    if (sent === undefined) throw new Error(`There is no request ${slot}`)
    return sent
  }

  async #revokeAccess({ r, a }: Picks): Promise<void> {
    const hash = this.#issued.hashOfAccess(a.id)
    await changeGrant(kernelOf(this.#grants, this.#now(r)), this.#id, (grant) => ({
      kind: 'changed',
      grant: withoutAccessToken(grant, hash),
      result: undefined,
    }))
  }

  async #exchange({ r, a }: Picks): Promise<void> {
    const id = this.#minted++
    const fresh = sha256(`exchanged ${id}`) as string as Secret
    const now = this.#now(r)
    const terms = { subjectToken: this.#issued.hashOfAccess(a.id), boundResources: [], fresh }
    const exchange = { ...REQUEST, ...terms, lifetime: TERMS.accessToken }
    await changeGrant(kernelOf(this.#grants, now), this.#id, (grant) => narrowToken(grant, exchange, now()))
    this.#issued.noteAccess(id, fresh)
  }
}

/** The record of the model, as `IssuedById` writes a real one. A record that has expired is absent. */
function inOrder(grant: ModelGrant, now: number): ModelGrant | 'absent' {
  const { phase, access, codeEnds, ends } = grant as {
    readonly phase: string
    readonly access: readonly { readonly id: number; readonly ends: number }[]
    readonly codeEnds: number
    readonly ends: number
  }
  const until = Math.max(codeEnds, ends, MODEL.ticket, ...access.map((token) => token.ends))
  return phase === 'none' || phase === 'gone' || now >= until
    ? 'absent'
    : { ...grant, access: sorted(access) }
}
