/**
 * How surely each fault of the victim is found: `node proof/torture/test/many-runs.ts 10` prints a table of ten runs of each
 * fault, and of each correct server. A run is the check that has to find the fault, with a seed of its own.
 */
import { HUNTS, huntFault, raceVictim } from './race-victim.ts'
import { FAULTS, type Fault, type Variant } from './victim/faults.ts'

const runs = Number(process.argv[2] ?? 10)
const BAD = ['unsafe', 'lossy', 'noisy']

console.log('| Fault | Check | Found | Lines | Seconds |\n|---|---|---|---|---|')
for (const fault of Object.keys(FAULTS).map((each) => Number(each) as Fault)) console.log(await rowOf(fault))
console.log('\n| Correct server | Runs without a finding |\n|---|---|')
for (const variant of ['strict', 'same-pair', 'overlap', 'none'] as const)
  console.log(await correctRow(variant))

async function rowOf(fault: Fault): Promise<string> {
  const { check } = HUNTS[fault]
  const lines: number[] = []
  const start = performance.now()
  for (let run = 0; run < runs; run++) {
    const { findings } = await huntFault(fault, { seed: run })
    const found = findings.find(({ id, verdict }) => id === check && BAD.includes(verdict))
    if (found !== undefined) lines.push(found.counterexample?.length ?? 0)
  }
  const seconds = ((performance.now() - start) / 1000 / runs).toFixed(1)
  return `| ${fault} ${FAULTS[fault]} | ${check} | ${lines.length} of ${runs} | ${Math.max(...lines, 0)} | ${seconds} |`
}

async function correctRow(variant: Variant): Promise<string> {
  let clean = 0
  for (let run = 0; run < runs; run++) {
    const { findings } = await raceVictim({ variant }, { declared: { rotation: variant }, seed: run })
    const bad = findings.filter(({ verdict }) => [...BAD, 'unknown'].includes(verdict))
    if (bad.length === 0) clean += 1
    else console.error(variant, run, JSON.stringify(bad, null, 1))
  }
  return `| ${variant} | ${clean} of ${runs} |`
}
