import type { WorkName } from './work.ts'

/** What the measuring process asks of the process of a target, beside the measured requests. */
export type Order =
  | { readonly do: 'prepare'; readonly work: WorkName; readonly count: number }
  | { readonly do: 'hear'; readonly work: WorkName; readonly bodies: readonly string[] }
  | { readonly do: 'open'; readonly tokens: readonly string[] }
  /** `collect` says which generations are rid of garbage before. */
  | { readonly do: 'measure'; readonly collect: 'none' | 'young' | 'all' }
  | { readonly do: 'profile' }
  | { readonly do: 'write-profile'; readonly path: string }

export interface Answer {
  readonly error?: string
  readonly work?: readonly WorkName[]
  readonly requests?: readonly string[]
  /** CPU time of the process since its start, all threads. */
  readonly cpuSeconds?: number
  /** The heap and the buffers that hang on it. */
  readonly heapBytes?: number
}
