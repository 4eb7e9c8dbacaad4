/** Two requests whose answers must take equally long. */
export interface Pair {
  readonly name: string
  /** How many samples of each: many of what is quick. */
  readonly samples: number
  first(): Promise<unknown>
  second(): Promise<unknown>
}

export interface Samples {
  /** Nanoseconds. */
  readonly first: readonly number[]
  readonly second: readonly number[]
}

/** Takes them one by one in random turns, so that whatever else goes on here strikes both alike. */
export async function samplesOf({ first, second, samples }: Pair): Promise<Samples> {
  const taken: Record<'first' | 'second', number[]> = { first: [], second: [] }
  // What runs first runs before the compiler has optimised it.
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
