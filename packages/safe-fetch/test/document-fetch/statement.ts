import type { Bench } from './bench.ts'

/** One promise of `DocumentFetch`. `prove` rejects if the fetch on the bench does not keep it. */
export interface Statement {
  readonly name: string
  prove(bench: Bench): Promise<void>
}
