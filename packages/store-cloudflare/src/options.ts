export interface CommonOptions {
  /**
   * Time limit of a call in milliseconds, with its second attempt; after that the store counts as unreachable.
   * Default 2000.
   */
  readonly commandTimeout?: number | undefined
  /** The time in epoch seconds. Default: the system clock. */
  readonly now?: (() => number) | undefined
}

export const COMMAND_TIMEOUT = 2000

export function epochSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
