import { type Declared, judge, type Operation } from '@grantkit/torture'

/** What the service promises. Its clocks may differ, so the last ten seconds of the retry window prove nothing. */
const DECLARED: Declared = {
  rotation: 'same-pair',
  overlapSeconds: 60,
  // Until then a used token is repeated once more, and one of an earlier rotation ends nothing (ADR 2, ADR 70).
  lateRepeatSeconds: 901,
  replacedSeconds: 70,
  clockSkewSeconds: 10,
  replayEndsFamily: true,
  codeReplayEndsFamily: true,
  revocationEnds: 'family',
  logoutEnds: true,
}

/** What a request does to a grant. `credential` is what it presents. */
export interface Act extends Pick<Operation, 'process' | 'f' | 'family' | 'forbidden'> {
  readonly credential?: string
}

interface Answer {
  readonly status: number
  readonly error?: unknown
  readonly active?: unknown
  readonly access_token?: unknown
  readonly refresh_token?: unknown
}

/** Every request that concerns a grant, for the checker of the torture kit. It stays in memory, so it names secrets. */
export class History {
  private readonly operations: Operation[] = []
  private families = 0

  newFamily(): string {
    this.families++
    return `grant ${this.families}`
  }

  /** @returns the answer; `undefined` if none came, so that its effect is unknown */
  async record<A extends Answer>(act: Act, send: () => Promise<A | undefined>): Promise<A | undefined> {
    const { credential: key, ...request } = act
    const invoked = performance.now()
    const answer = await send()
    const times = { invoked, returned: performance.now() }
    this.operations.push({ ...request, key, id: this.operations.length, ...resultOf(act, answer), ...times })
    return answer
  }

  /** What no correct server answers, each with its timeline. Empty if each answer is explained. */
  findings(): string[] {
    const { verdict, seen, counterexample = [] } = judge('crash', this.operations, DECLARED)
    return verdict === 'unsafe' || verdict === 'lossy'
      ? [[`${verdict}: ${seen}`, ...counterexample].join('\n')]
      : []
  }
}

function resultOf({ f }: Act, answer: Answer | undefined): Pick<Operation, 'result'> & Partial<Operation> {
  if (answer === undefined) return { result: 'info' }
  const { status, error, active, access_token, refresh_token } = answer
  if (status >= 500) return { result: 'info', status }
  const accepted = f === 'use' ? (status === 200 || status === 401 ? status === 200 : undefined) : active
  return {
    status,
    result: status === 200 ? 'ok' : 'fail',
    error: textOf(error),
    active: typeof accepted === 'boolean' ? accepted : undefined,
    access: textOf(access_token),
    refresh: textOf(refresh_token),
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
