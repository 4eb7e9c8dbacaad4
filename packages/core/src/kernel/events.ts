/**
 * Events for the operator to log or count. They carry ids and never a secret, code or token, so they are safe to log as
 * they are. Each room declares its own.
 */
export interface BaseEvent {
  readonly type: string
  readonly [fact: string]: unknown
}

export type Emit = (event: BaseEvent) => void

/** A request that was refused or failed. */
export type RequestEvent =
  | {
      readonly type: 'refused'
      readonly path: string
      readonly error: string
      readonly reason: string
      readonly detail: string
    }
  /** A fault of the server or its store. `cause` is what was thrown. */
  | {
      readonly type: 'failed'
      readonly path: string
      readonly error: string
      readonly reason: string
      readonly cause: unknown
    }
