import type { WorkName } from './work.ts'

/** A server in one process, listening on loopback, and its workloads. */
export interface Target {
  /** Its workloads; an absent one is not offered. */
  readonly work: Readonly<Partial<Record<WorkName, Work>>>
  /** A request that gets a 200 only if the access token is live. Absent if the target checks no tokens. */
  readonly opens?: (accessToken: string) => string
}

export interface Work {
  /**
   * Prepares requests as HTTP text, each for one use. Their clients, codes and tokens are made in this process, outside
   * the measured path.
   */
  requests(count: number): Promise<string[]> | string[]
}

/** The export of every target file. */
export type StartTarget = (port: number) => Promise<Target>
