import { readCommandLine } from '@grantkit/reference/command-line'
import { controls, guesses, openService } from './timing/guesses.ts'
import { insidePair } from './timing/inside.ts'
import { mannWhitney } from './timing/mann-whitney.ts'
import { median, type Pair, samplesOf } from './timing/samples.ts'

const USAGE = `pnpm --dir proof timing

Tests whether the time of a refusal tells how close a guess was, or what listens inside. Ends with 1 if it does, or
if the measurement is inconclusive.`

readCommandLine(USAGE, {})

/** With this many samples even useless differences become significant, so a finding must also be large. */
const CERTAIN = 0.001
/** A smaller Cliff's delta counts as negligible (Romano and others, 2006): one sample tells nothing. */
const NEGLIGIBLE = 0.147
/** Nanoseconds: shorter than the hash of a secret, and invisible over a network. */
const SHORT = 500

const service = await openService()
const { alike, different } = await controls(service)
const inside = await insidePair()
const differs: string[] = []
for (const pair of [alike, inside.pair, ...(await guesses(service))])
  if (await differ(pair)) differs.push(pair.name)
const blind = !(await differ(different))
await service.close()
inside.close()

for (const name of differs) console.error(`Their times differ: ${name}`)
if (blind) console.error('A difference that is there was not seen, so these figures mean nothing')
if (differs.length > 0 || blind) process.exitCode = 1

async function differ(pair: Pair): Promise<boolean> {
  const { first, second } = await samplesOf(pair)
  const { p, delta } = mannWhitney(first, second)
  const medians = [median(first), median(second)] as const
  const microseconds = medians.map((time) => (time / 1000).toFixed(1).padStart(9))
  const figures = `delta ${delta.toFixed(3).padStart(6)}  p ${p.toExponential(1)}  n ${pair.samples}`
  console.log(`${pair.name.padEnd(68)}${microseconds.join('')} µs  ${figures}`)
  return p < CERTAIN && Math.abs(delta) >= NEGLIGIBLE && Math.abs(medians[0] - medians[1]) >= SHORT
}
