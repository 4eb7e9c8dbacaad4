import type { Declared } from '../src/history/declared.ts'
import type { Operation, OperationKind } from '../src/history/operation.ts'
import { type Answer, type Fault, type Request, SequentialServer } from './sequential-server.ts'

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export interface Plan {
  readonly declared: Declared
  readonly fault?: Fault | undefined
  readonly seed: number
  /** The share of answers that get lost. */
  readonly lost: number
}

interface Step {
  readonly at: number
  run(): void
}

const PROCESSES = ['app', 'app-2', 'thief']
const REQUESTS: readonly OperationKind[] = [
  ...['redeem', 'redeem', 'refresh', 'refresh', 'refresh', 'refresh', 'refresh', 'refresh'],
  ...['use', 'introspect', 'introspect', 'exchange', 'revoke', 'logout', 'deny'],
] as OperationKind[]
const ROUNDS = 6

/** The history of three processes that share a grant: overlapping requests, lost answers, a restart in the middle. */
export function interleaved({ declared, fault, seed, lost }: Plan): Operation[] {
  const next = numbersOf(seed)
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(next() * items.length)]
  const server = new SequentialServer(declared, fault)
  const known = { code: ['C1'], refresh: [] as string[], access: [] as string[] }
  const history: Operation[] = []
  const queue: Step[] = []
  const schedule = (at: number, run: () => void) => void queue.push({ at, run })
  const record = (operation: Omit<Operation, 'id'>) => void history.push({ ...operation, id: history.length })
  record({ process: 'user', f: 'approve', family: 'g', code: 'C1', result: 'ok', invoked: -2, returned: -1 })

  function choose(): Request | undefined {
    const f = pick(REQUESTS) ?? 'use'
    if ((f === 'logout' || f === 'deny') && next() < 0.7) return undefined
    if (f === 'logout' || f === 'deny') return { f }
    const kind =
      f === 'redeem' ? 'code' : f === 'refresh' || (f === 'revoke' && next() < 0.7) ? 'refresh' : 'access'
    const tokens = known[kind]
    const key = next() < 0.6 ? tokens.at(-1) : pick(tokens)
    if (key === undefined) return undefined
    return { f, key, ...(f === 'redeem' && next() < 0.2 && { forbidden: 'a wrong PKCE verifier' }) }
  }

  function send(process: string, round: number, now: number): void {
    const request = choose()
    const wait = next() < 0.1 ? 12_000 : next() * 8
    if (round < ROUNDS) schedule(now + 10 + wait, () => send(process, round + 1, now + 10 + wait))
    if (request === undefined) return
    const [read, write, returned] = [now + next() * 3, now + 3 + next() * 3, now + 6 + next() * 3]
    const late = fault === 'revocation-written-late' && request.f === 'revoke'
    let before: ReturnType<SequentialServer['read']> | undefined
    let answer: Answer = { result: 'ok' }
    const [loss, arrives] = [next() < lost, next() < 0.5]
    schedule(read, () => {
      before = server.read(request)
    })
    if (arrives || !loss)
      schedule(late ? returned + 15 : write, () => {
        answer = server.answer(request, write, before)
      })
    schedule(returned, () => {
      const common = { process, family: 'g', ...request, invoked: now, returned }
      if (loss) return record({ ...common, result: 'info', forgotten: true })
      record({ ...common, ...answer })
      if (answer.refresh !== undefined) known.refresh.push(answer.refresh)
      if (answer.access !== undefined) known.access.push(answer.access)
    })
  }

  for (const process of PROCESSES) schedule(next() * 4, () => send(process, 0, next() * 4))
  schedule(35, () => server.restart())
  while (queue.length > 0) {
    queue.sort((a, b) => b.at - a.at)
    queue.pop()?.run()
  }
  return history
}
