/** Runs the model of a grant: README.md says what for. */
import { resolve } from 'node:path'
import { readCommandLine, refuse, wholeNumber } from '@grantkit/reference/command-line'
import { checkModel, findFault } from './checks.ts'
import { FAULTS } from './faults.ts'
import { chosen, freshTraces, KEPT, writeTraces } from './kept-traces.ts'
import { WITNESSES } from './quint.ts'

const USAGE = `pnpm --dir proof model check | faults | traces

  check    follows random traces and checks every invariant
  faults   plants each fault in a copy of the model, and names the invariant that finds it
  traces   writes traces for the tests of core: MODEL_TRACES=<folder> npx vitest run --config vitest.night.config.ts model-

  --count  how many traces: check 2000, traces 100 of each kind
  --out    the folder of fresh traces; without it, those that the repository keeps are chosen anew
  --seed   the same seed gives the same traces`

/** The most traces that the repository keeps. */
const MAX_KEPT = 100

const { values, positionals } = readCommandLine(USAGE, {
  options: { count: { type: 'string' }, out: { type: 'string' }, seed: { type: 'string' } },
  allowPositionals: true,
})
const { count, out, seed } = values
const commands: Readonly<Record<string, () => boolean>> = {
  check: () => check(numberOf(count, 2000)),
  faults,
  traces: () => traces(numberOf(count, 100)),
}
const command = positionals.length === 1 ? commands[String(positionals[0])] : undefined
if (command === undefined) refuse(USAGE, 'Name one of check, faults and traces.')
if (!command()) process.exitCode = 1

function numberOf(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : wholeNumber(USAGE, '--count', text)
}

function check(traces: number): boolean {
  const failed = checkModel(traces, seed).filter(({ step, found }) => {
    const unseen = WITNESSES.filter((_, at) => found.witnessed[at] === 0)
    const good = found.violated.length === 0 && unseen.length === 0
    console.log(`${step}: ${good ? `${traces} traces, every invariant holds` : found.output}`)
    if (unseen.length > 0) console.log(`Never seen: ${unseen.join(', ')}`)
    return !good
  })
  return failed.length === 0
}

function faults(): boolean {
  const missed = FAULTS.filter((fault) => {
    const begun = performance.now()
    const { violated } = findFault(fault, seed)
    const found = violated.includes(fault.invariant)
    const time = ((performance.now() - begun) / 1000).toFixed(1)
    console.log(`| ${fault.name} | ${found ? `\`${fault.invariant}\`` : '**missed**'} | ${time} s |`)
    return !found
  })
  return missed.length === 0
}

function traces(made: number): boolean {
  const fresh = freshTraces(made, seed)
  const written = out === undefined ? chosen(fresh, MAX_KEPT) : fresh
  const folder = out === undefined ? KEPT : resolve(process.env.INIT_CWD ?? '', out)
  writeTraces(folder, written)
  console.log(`${written.length} traces in ${folder}`)
  return true
}
