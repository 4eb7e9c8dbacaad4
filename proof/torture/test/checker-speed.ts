import { type Declared, IDEAL } from '../src/history/declared.ts'
import { judge } from '../src/history/judge.ts'
import type { Operation } from '../src/history/operation.ts'
import { interleaved } from './interleaved.ts'

/** How long the checker takes for 100,000 operations: `node proof/torture/test/checker-speed.ts`. */
const OPERATIONS = 100_000
const declared: Declared = { ...IDEAL, rotation: 'same-pair', overlapSeconds: 10, clockSkewSeconds: 0 }

for (const lost of [0, 0.05]) report(`families of three processes, ${lost * 100} % lost`, families(lost))
report('one family, a line of refreshes', line(1))
report('one family, eight contenders for each refresh token', line(8))

function report(name: string, history: readonly Operation[]): void {
  const start = performance.now()
  const { verdict } = judge('crash', history, declared)
  const seconds = ((performance.now() - start) / 1_000).toFixed(2)
  console.log(`${name}: ${history.length} operations in ${seconds} s, ${verdict}`)
}

function families(lost: number): Operation[] {
  const history: Operation[] = []
  for (let seed = 0; history.length < OPERATIONS; seed++)
    history.push(...interleaved({ declared, seed, lost }).map((one) => ({ ...one, family: `g${seed}` })))
  return history
}

function line(contenders: number): Operation[] {
  const history: Operation[] = []
  for (let id = 0; id < OPERATIONS; id++) {
    const [turn, lane] = [Math.floor(id / contenders), id % contenders]
    const [invoked, returned] = [turn * 10 + lane * 0.1, turn * 10 + 8 + lane * 0.1]
    const [key, refresh, access] = [`R${turn}`, `R${turn + 1}`, `A${turn}`]
    const answer = { result: 'ok', status: 200, refresh, access } as const
    history.push({ id, process: `app-${lane}`, f: 'refresh', family: 'g', key, ...answer, invoked, returned })
  }
  return history
}
