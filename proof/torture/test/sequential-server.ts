import type { Declared } from '../src/history/declared.ts'
import type { Operation } from '../src/history/operation.ts'

/** One planted fault each. */
export type Fault =
  | 'code-read-then-marked'
  | 'refresh-read-then-rotated'
  | 'replay-ends-nothing'
  | 'code-replay-ends-nothing'
  | 'restart-forgets-rotations'
  | 'restart-forgets-tokens'
  | 'revocation-written-late'
  | 'refresh-survives-revocation'
  | 'spent-token-mints'
  | 'retry-refused'
  | 'used-pair-repeated'
  | 'verifier-not-checked'
  | 'logout-ends-nothing'
  | 'denial-ends-nothing'
  | 'exchanged-tokens-outlive'
  | 'introspection-says-active'
  | 'introspection-says-inactive'
  | 'end-comes-back'

export type Request = Pick<Operation, 'f' | 'key' | 'forbidden'>
export type Answer = Partial<Omit<Operation, 'id'>> & Pick<Operation, 'result'>

interface Refresh {
  readonly parent?: Refresh | undefined
  spentAt?: number
  child?: Answer
}

/**
 * The model of a correct server: it does one request after another on one grant. A fault is a line of it. `read` is what
 * a faulty server knew before it had to write.
 */
export class SequentialServer {
  #code: 'live' | 'spent' = 'live'
  #ended = false
  #revoked = new Set<string>()
  #refresh = new Map<string, Refresh>()
  #access = new Map<string, 'refreshed' | 'exchanged'>()
  #names = 0
  readonly #declared: Declared
  readonly #fault: Fault | undefined

  constructor(declared: Declared, fault?: Fault) {
    this.#declared = declared
    this.#fault = fault
  }

  /** What a faulty server reads before it writes. */
  read({ key = '' }: Request): { readonly live: boolean; readonly ended: boolean } {
    const refresh = this.#refresh.get(key)
    return {
      live: refresh === undefined ? this.#code === 'live' : refresh.spentAt === undefined,
      ended: this.#ended,
    }
  }

  answer(request: Request, now: number, before = this.read(request)): Answer {
    const { f, forbidden } = request
    if (forbidden !== undefined && this.#fault !== 'verifier-not-checked')
      return { result: 'fail', error: 'invalid_grant' }
    if (f === 'redeem') return this.#redeem(before)
    if (f === 'refresh') return this.#rotate(request.key ?? '', now, before)
    if (f === 'exchange') return this.#exchange(request.key ?? '')
    if (f === 'use' || f === 'introspect') return { result: 'ok', active: this.#isActive(request.key ?? '') }
    return this.#end(request)
  }

  restart(): void {
    if (this.#fault === 'restart-forgets-rotations')
      for (const refresh of this.#refresh.values()) delete refresh.spentAt
    if (this.#fault === 'restart-forgets-tokens') this.#refresh.clear()
    if (this.#fault === 'end-comes-back') this.#ended = false
  }

  #redeem({ live, ended }: { readonly live: boolean; readonly ended: boolean }): Answer {
    const lenient = this.#fault === 'code-read-then-marked'
    if (lenient ? live && !ended : this.#code === 'live' && !this.#ended) {
      this.#code = 'spent'
      return this.#issue()
    }
    if (
      this.#code === 'spent' &&
      this.#declared.codeReplayEndsFamily &&
      this.#fault !== 'code-replay-ends-nothing'
    )
      this.#ended = true
    return { result: 'fail', error: 'invalid_grant' }
  }

  #rotate(key: string, now: number, before: { readonly live: boolean; readonly ended: boolean }): Answer {
    const refresh = this.#refresh.get(key)
    const ended = this.#fault === 'refresh-survives-revocation' ? before.ended : this.#ended
    if (refresh === undefined || ended || this.#revoked.has(key))
      return { result: 'fail', error: 'invalid_grant' }
    if (this.#fault === 'refresh-survives-revocation') this.#ended = false
    if (this.#declared.rotation === 'none') return { ...this.#issue(), refresh: key }
    const live = this.#fault === 'refresh-read-then-rotated' ? before.live : refresh.spentAt === undefined
    if (live || this.#fault === 'spent-token-mints') return this.#firstUse(refresh, now)
    return this.#repeated(refresh, now)
  }

  #firstUse(refresh: Refresh, now: number): Answer {
    refresh.spentAt ??= now
    refresh.child = this.#issue(refresh)
    return refresh.child
  }

  #repeated(refresh: Refresh, now: number): Answer {
    const { rotation, overlapSeconds, replayEndsFamily, replacedSeconds = 0 } = this.#declared
    const age = now - (refresh.spentAt ?? 0)
    if (age < overlapSeconds * 1_000 && rotation === 'overlap') return this.#issue(refresh)
    if (rotation === 'same-pair' && refresh.child && this.#answersAgain(refresh, age)) return refresh.child
    const ends = replayEndsFamily && this.#fault !== 'replay-ends-nothing'
    const isReplaced = this.#isUsed(refresh) && age < replacedSeconds * 1_000
    if (ends && !isReplaced) this.#ended = true
    return { result: 'fail', error: 'invalid_grant' }
  }

  #answersAgain(refresh: Refresh, age: number): boolean {
    const { overlapSeconds, lateRepeatSeconds = 0 } = this.#declared
    if (this.#fault === 'retry-refused') return false
    const isLate = age >= overlapSeconds * 1_000
    if (isLate && age >= lateRepeatSeconds * 1_000) return false
    return !this.#isUsed(refresh) || (isLate && this.#fault === 'used-pair-repeated')
  }

  /** Whether its successor is spent. */
  #isUsed({ child }: Refresh): boolean {
    return this.#refresh.get(child?.refresh ?? '')?.spentAt !== undefined
  }

  #issue(parent?: Refresh): Answer {
    this.#names += 1
    const [access, refresh] = [`A${this.#names}`, `R${this.#names}`]
    this.#access.set(access, 'refreshed')
    if (parent === undefined || this.#declared.rotation !== 'none') this.#refresh.set(refresh, { parent })
    return { result: 'ok', access, refresh }
  }

  #exchange(key: string): Answer {
    if (!this.#isActive(key)) return { result: 'fail', error: 'invalid_grant' }
    this.#names += 1
    this.#access.set(`A${this.#names}`, 'exchanged')
    return { result: 'ok', access: `A${this.#names}` }
  }

  #isActive(key: string): boolean {
    if (this.#fault === 'introspection-says-active') return true
    if (this.#fault === 'introspection-says-inactive') return false
    const outlives = this.#fault === 'exchanged-tokens-outlive' && this.#access.get(key) === 'exchanged'
    const ended = this.#ended && this.#declared.revocationEnds === 'family' && !outlives
    return this.#access.has(key) && !ended && !this.#revoked.has(key)
  }

  #end({ f, key = '' }: Request): Answer {
    if (f === 'revoke' && (this.#declared.revocationEnds === 'token' || key.startsWith('A')))
      this.#revoked.add(key)
    else if (f === 'revoke') this.#ended = true
    if (f === 'logout' && this.#declared.logoutEnds && this.#fault !== 'logout-ends-nothing')
      this.#ended = true
    if (f === 'deny' && this.#fault !== 'denial-ends-nothing') this.#ended = true
    return { result: 'ok' }
  }
}
