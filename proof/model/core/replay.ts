/** Replays traces of the model on two replicas of core, which share a real store. */
import { keptUntil } from '../../../packages/core/src/grants/change-grant.ts'
import type { Grant } from '../../../packages/core/src/kernel/records.ts'
import type { GrantRecords } from '../../../packages/core/src/kernel/store.ts'
import { IssuedById, type ModelGrant, sorted } from './issued.ts'
import type { Step, Trace } from './itf.ts'
import type { NowAt, Replicas } from './replicas.ts'
import { SentRequests } from './sent-requests.ts'
import { seconds } from './terms.ts'

const THIEF = 2

/** The state of the model, as far as the replay reads it. */
interface ModelState {
  readonly now: number
  readonly skew: ReadonlyMap<number, number>
  readonly device: string
  readonly grant: ModelGrant & { readonly redeemed: { readonly id: number } }
  readonly app: { readonly holds: { readonly id: number } }
  readonly thief: { readonly holds: { readonly id: number } }
  readonly last: { readonly what: string; readonly result: string }
}

interface Picks {
  readonly r: number
  readonly slot: number
  readonly kind: string
  readonly loses: boolean
  readonly a: { readonly id: number }
}

/** What a replay runs on. */
export interface Subject {
  readonly grants: GrantRecords
  /** Epoch seconds of the store; the replay sets it. */
  readonly clock: { now: number }
  /** @param nowAt the clock of a replica */
  replicas(nowAt: NowAt, isDevice: boolean): Replicas | Promise<Replicas>
}

/** @param check gets the actions so far, and what both have after them. It throws if they differ */
export async function replay(
  subject: Subject,
  { name, steps: [first, ...steps] }: Trace,
  check: (actions: string, compared: Compared) => void,
): Promise<void> {
  if (first === undefined) throw new Error(`${name} is empty`)
  const real = await Replay.begin(subject, first)
  const done: string[] = []
  for (const step of steps) {
    done.push(step.action)
    check(done.join(', '), await real.take(step))
  }
}

interface Compared {
  readonly model: unknown
  readonly core: unknown
}

/** One grant in a store. */
class Replay {
  readonly #issued = new IssuedById()
  readonly #sent = new SentRequests(this.#issued)
  readonly #grants: GrantRecords
  readonly #clock: { now: number }
  #replicas: Replicas | undefined
  #state: ModelState
  #minted = 0
  /** What a failover brings back: the record without its last rotation. */
  #before: Grant | undefined
  #newest: Grant | undefined
  /** The result of the last request, in the words of the model. */
  #result = ''

  private constructor({ grants, clock }: Subject, first: Step) {
    this.#grants = grants
    this.#clock = clock
    this.#state = first.state as unknown as ModelState
    clock.now = seconds(0)
  }

  static async begin(subject: Subject, first: Step): Promise<Replay> {
    const begun = new Replay(subject, first)
    begun.#replicas = await subject.replicas((replica) => begun.#now(replica), begun.#state.device !== 'none')
    return begun
  }

  /** Does to the real grant what the model did. */
  async take({ action, picks, state }: Step): Promise<Compared> {
    const before = this.#state
    this.#state = state as unknown as ModelState
    this.#clock.now = seconds(this.#state.now)
    this.#result = ''
    await this.#act(action, picks as unknown as Picks, before)
    const stored = await this.#find()
    this.#follow(stored)
    const { grant, last, now } = this.#state
    const decision = await this.#real.decision()
    // The request of a device is forgotten before its grant.
    const device = decision === 'none' ? decision : this.#state.device
    return {
      model: { result: last.result, device, grant: inOrder(grant, now) },
      core: { result: this.#result, device: decision, grant: this.#issued.inModel(stored) },
    }
  }

  get #real(): Replicas {
    if (this.#replicas === undefined) throw new Error('The replay has not begun')
    return this.#replicas
  }

  async #find(): Promise<Grant | undefined> {
    const { grantId } = this.#real
    return grantId === undefined ? undefined : (await this.#grants.find(grantId))?.value
  }

  async #act(action: string, picks: Picks, { app, thief }: ModelState): Promise<void> {
    if (action === 'approve') await this.#real.approve(picks.r)
    else if (action === 'deny') await this.#real.deny(picks.r)
    else if (action === 'allowDevice')
      await this.#real.allowDevice(picks.r, this.#state.last.what === 'loseGrant')
    else if (action === 'denyDevice') await this.#real.denyDevice(picks.r)
    else if (action === 'sendCode') this.#send(0, 'code', -1)
    else if (action === 'sendPoll') this.#send(0, 'poll', -1)
    else if (action === 'sendRefresh') this.#send(picks.slot, 'refresh', app.holds.id)
    else if (action === 'thiefSends') this.#send(THIEF, picks.kind, thief.holds.id)
    else if (action === 'arrive')
      this.#result = await this.#sent.arrive(picks.slot, this.#real, picks.r, this.#state)
    else if (action === 'answer' || action === 'loseAnswer')
      this.#result = await this.#sent.goOn(picks.slot, 'write', this.#state)
    else if (action === 'failBefore') this.#result = await this.#sent.goOn(picks.slot, 'fail', this.#state)
    else if (action === 'loseRequest') this.#sent.lose(picks.slot)
    else if (action === 'revoke') await this.#real.revoke(this.#issued.anyRefreshToken())
    else if (action === 'revokeAccess')
      await this.#real.revokeAccess(this.#issued.accessToken(picks.a.id), picks.r)
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
    const { grantId } = this.#real
    if (grantId === undefined) return
    const back = this.#before
    await this.#grants.remove(grantId)
    if (back) await this.#grants.insert(grantId, back, keptUntil(back))
    this.#newest = back
  }

  /** The clock of a replica, whenever it is read. */
  #now(replica: number): () => number {
    return () => seconds(this.#state.now + (this.#state.skew.get(replica) ?? 0))
  }

  #send(slot: number, kind: string, token: number): void {
    this.#sent.send(slot, { kind, token, salt: this.#minted++ })
  }

  async #exchange({ r, a }: Picks): Promise<void> {
    const id = this.#minted++
    this.#issued.noteAccess(id, await this.#real.exchange(this.#issued.accessToken(a.id), r))
  }
}

/** The record of the model, as `IssuedById` writes a real one. A record that has expired is absent. */
function inOrder(grant: ModelGrant, now: number): ModelGrant | 'absent' {
  const { phase, access, codeEnds, ends, ticket, redeemed, ...more } = grant as {
    readonly phase: string
    readonly access: readonly { readonly id: number; readonly ends: number }[]
    readonly codeEnds: number
    readonly ends: number
    readonly ticket: number
    readonly redeemed: { readonly id: number; readonly at: number }
  }
  const until = Math.max(codeEnds, ends, ticket, ...access.map((token) => token.ends))
  if (phase === 'none' || phase === 'gone' || now >= until) return 'absent'
  const redeemedAt = redeemed.id < 0 ? -1 : redeemed.at
  return { phase, codeEnds, ends, redeemedAt, ...more, access: sorted(access) }
}
