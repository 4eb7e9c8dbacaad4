import type { WorkName } from './work.ts'

/** Messages from the measuring process to the process of a target, apart from the measured requests. */
export type Order =
  | { readonly do: 'prepare'; readonly work: WorkName; readonly count: number }
  | { readonly do: 'open'; readonly tokens: readonly string[] }
  /** `collect` names the generations whose garbage is collected first. */
  | { readonly do: 'measure'; readonly collect: 'none' | 'young' | 'all' }
  | { readonly do: 'profile' }
  | { readonly do: 'write-profile'; readonly path: string }

export interface Answer {
  readonly error?: string
  readonly work?: readonly WorkName[]
  readonly requests?: readonly string[]
  /** CPU time of the process since its start, all threads. */
  readonly cpuSeconds?: number
  /** The heap and its buffers. */
  readonly heapBytes?: number
}
