import type { WorkName } from './work.ts'

/** A server of one process, listening on loopback, and what can be asked of it. */
export interface Target {
  /** What it can be measured at. A workload that is absent is not offered. */
  readonly work: Readonly<Partial<Record<WorkName, Work>>>
  /** A request that is answered with 200 only if the access token is live. Absent where nothing checks tokens. */
  readonly opens?: (accessToken: string) => string
}

export interface Work {
  /**
   * Prepares so many requests, each one good for one answer, as HTTP text. Whatever they need (clients, codes,
   * tokens) is made in this process and never on the measured path.
   */
  requests(count: number): Promise<string[]> | string[]
  /** Hears the bodies of the answers, in the order of the requests: what the next requests are made of. */
  answered?(bodies: readonly string[]): void
}

/** What every file of a target exports. */
export type StartTarget = (port: number) => Promise<Target>
