const SECOND = 1000
const ROUND_MS = 700

/**
 * The number of runs per second of each work, with a fixed concurrency. It is the median of interleaved rounds, so that
 * noise on the machine affects all alike.
 */
export async function throughput(
  works: readonly (() => Promise<unknown>)[],
  concurrency: number,
  rounds: number,
): Promise<number[]> {
  const measured: number[][] = works.map(() => [])
  for (const work of works) await round(work, concurrency)
  for (let index = 0; index < rounds; index++) {
    for (const [position, work] of works.entries()) measured[position]?.push(await round(work, concurrency))
  }
  return measured.map(
    (rates) => rates.toSorted((one, other) => one - other)[Math.floor(rates.length / 2)] ?? 0,
  )
}

async function round(work: () => Promise<unknown>, concurrency: number): Promise<number> {
  const begun = performance.now()
  const end = begun + ROUND_MS
  let done = 0
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() < end) {
        await work()
        done += 1
      }
    }),
  )
  return (done * SECOND) / (performance.now() - begun)
}
