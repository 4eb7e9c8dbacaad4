/**
 * Events for the operator to log or count. They carry ids and never a secret, code or token, so they are safe to log as
 * they are. Each module declares its own.
 */
export interface BaseEvent {
  readonly type: string
  readonly [fact: string]: unknown
}

/** What an observer reads of a request record. The record itself identifies the request. */
export interface ObservedRequest {
  readonly path: string
  readonly remoteAddress?: string | undefined
}

/** @param request that caused the event, for an observer */
export type Emit = (event: BaseEvent, request?: ObservedRequest) => void

/**
 * Shields the server from its listener. Events are emitted after a grant has changed, so an error of the listener must not
 * cost the client its answer. The first error goes to the console; the later ones are the same fault.
 */
export function shielded(listener: Emit = faultsToConsole): Emit {
  let reported = false
  const reportOnce = (error: unknown) => {
    if (!reported) console.error('Grantkit: onEvent fails, and its events are lost.', error)
    reported = true
  }
  return (event) => {
    try {
      const result: unknown = listener(event)
      if (result instanceof Promise) result.catch(reportOnce)
    } catch (error) {
      reportOnce(error)
    }
  }
}

/** Without a listener, faults, which have a cause, and the end of a grant by a stolen credential must not vanish. */
function faultsToConsole({ type, cause, ...facts }: BaseEvent): void {
  if (cause !== undefined) console.error(`Grantkit: ${type}`, facts, cause)
  else if (FAULT.test(type) || LOGGED.includes(type)) console.error(`Grantkit: ${type}`, facts)
}

/** Events for the console that need no cause, of features too. */
const FAULT = /(^|_)(failed|undelivered|disabled)$/
const LOGGED = ['claims_unreleased', 'token_claims_protected', 'grant_ended']

/** A request that was refused or failed. */
export type RequestEvent =
  | {
      readonly type: 'refused'
      readonly path: string
      readonly error: string
      readonly reason: string
      readonly detail: string
      /** The id of the client that the operator has not allowed. */
      readonly known?: string | undefined
      /** As users see it. Only with an observer, like the client and the user. */
      readonly reference?: string | undefined
      /** As the request names it, if no such client exists. */
      readonly clientId?: string | undefined
      readonly subject?: string | undefined
    }
  /** A fault of the server or its store. `cause` is what was thrown. */
  | {
      readonly type: 'failed'
      readonly path: string
      readonly error: string
      readonly reason: string
      readonly cause: unknown
      readonly reference?: string | undefined
      readonly clientId?: string | undefined
      readonly subject?: string | undefined
    }
