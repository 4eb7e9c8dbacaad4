/** Two requests whose answers must take equally long. */
export interface Pair {
  readonly name: string
  /** The number of samples of each: many for fast requests. */
  readonly samples: number
  first(): Promise<unknown>
  second(): Promise<unknown>
}

export interface Samples {
  /** Nanoseconds. */
  readonly first: readonly number[]
  readonly second: readonly number[]
}

/** Takes samples one by one in random order, so that noise affects both alike. */
export async function samplesOf({ first, second, samples }: Pair): Promise<Samples> {
  const taken: Record<'first' | 'second', number[]> = { first: [], second: [] }
  // Warm-up: the first calls run before the compiler has optimised them.
  for (let n = 0; n < samples / 10; n++) await Promise.all([first(), second()])
  for (let n = 0; n < samples; n++) {
    const turns = Math.random() < 0.5 ? (['first', 'second'] as const) : (['second', 'first'] as const)
    for (const turn of turns) taken[turn].push(await duration(turn === 'first' ? first : second))
  }
  return taken
}

async function duration(request: () => Promise<unknown>): Promise<number> {
  const start = process.hrtime.bigint()
  await request()
  return Number(process.hrtime.bigint() - start)
}

export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
}
