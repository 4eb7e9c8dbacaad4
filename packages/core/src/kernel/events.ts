import type { ErrorFacts } from './oauth-error.ts'
import type { Client, Grant, Transient } from './records.ts'
import type { Hash, Random } from './secrets.ts'

/** Events for the operator to log or count. They carry ids and never a secret, code or token. Each module declares its own. */
export interface BaseEvent {
  readonly type: string
  readonly [fact: string]: unknown
}

/** What an observer reads of a request record. The record itself identifies the request. */
export interface ObservedRequest {
  readonly path: string
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>> | undefined
  readonly remoteAddress?: string | undefined
}

/** @param request that caused the event, for an observer */
export type Emit = (event: BaseEvent, request?: ObservedRequest) => void

/** An error of the listener must not cost the client its answer: its grant has changed. The first error goes to the console. */
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

/** Without an observer nothing is reported. It is called while a request is answered, so it neither throws nor waits. */
export interface Observer {
  /** After the listener of the operator. */
  emitted(event: BaseEvent, request?: ObservedRequest): void
  report(report: Report, request: ObservedRequest): void
  /** A grant has ended, by a request or without one. */
  ended(grant: Grant, why: GrantEnd): void
  /** An error answers the request. Its event follows. Without an identity, the error has no reference. */
  refused(request: ObservedRequest, error: ReportedError, at?: ErrorPlace): RequestIdentity | undefined
  identityOf(request: ObservedRequest): RequestIdentity | undefined
}

/** By what people find a request, as far as it is known. */
export interface RequestIdentity {
  /** For the record of a grant: 8 characters, without a dash. */
  readonly recorded: string
  /** For the user. */
  readonly reference: string
  /** As the request names it, if no such client exists. */
  readonly clientId?: string | undefined
  readonly subject?: string | undefined
}

/** Makes the observer of a server or a guard. @param secret of the server, for what all replicas must derive alike */
export type CreateObserver = (context: ObserverContext, secret?: string) => Observer

/** Makes an observer that listens to some of it. */
export type CreateListener = (context: ObserverContext, secret?: string) => Partial<Observer>

/** One observer of several listeners, which hear in this order. The first that gives a request an identity names it. */
export function observers(...created: readonly CreateListener[]): CreateObserver {
  return (context, secret) => {
    const listeners = created.map((create) => create(context, secret))
    return {
      emitted(event, request) {
        for (const listener of listeners) listener.emitted?.(event, request)
      },
      report(report, request) {
        for (const listener of listeners) listener.report?.(report, request)
      },
      ended(grant, why) {
        for (const listener of listeners) listener.ended?.(grant, why)
      },
      refused: (...error) => listeners.map((listener) => listener.refused?.(...error)).find(isIdentity),
      identityOf: (request) => listeners.map((listener) => listener.identityOf?.(request)).find(isIdentity),
    }
  }
}

function isIdentity(identity: RequestIdentity | undefined): identity is RequestIdentity {
  return identity !== undefined
}

export interface ObserverContext {
  /** Emits an event of the observer. No observer gets it. */
  readonly emit: Emit
  /** Epoch seconds. */
  readonly now: () => number
  readonly random: Random
}

/** What a request has come to. Parameters need not be valid. */
export type Report =
  /** What it sends is read, or the record that it is about. */
  | ({ readonly fact: 'request_read' } & About)
  /** An authorization request has arrived, at the authorization endpoint or pushed. */
  | ({ readonly fact: 'authorization_requested' } & About)
  /** The document of the client was read, or a copy of it. `fault`: why its host could not be asked. */
  | { readonly fact: 'client_described'; readonly from: DocumentOrigin; readonly fault?: string | undefined }
  | { readonly fact: 'client_found'; readonly client: Client }
  /** Its redirect URI is accepted. `known`: the id of the known client that it belongs to. */
  | { readonly fact: 'redirect_uri_accepted'; readonly known?: string | undefined }
  /** The form of the consent page is one of this user's session. */
  | { readonly fact: 'form_accepted'; readonly subject: string }
  | { readonly fact: 'sign_in_shown' }
  | { readonly fact: 'signed_in'; readonly subject: string; readonly signedInBy?: string | undefined }
  | ({ readonly fact: 'consent_shown'; readonly scopes: readonly string[] } & About)
  /** The user has decided. `grant`: what opens, if the user allows it. */
  | { readonly fact: 'consent_answered'; readonly grant?: Grant }
  | { readonly fact: 'code_sent' }
  | {
      readonly fact: 'tokens_issued'
      readonly grantType: string
      readonly grant: Grant
      readonly issued: Pick<Grant, 'scopes' | 'resources'>
    }
  /** A guard has accepted a token, or introspection has described it to an API. `resource`: indicators, separated by spaces. */
  | { readonly fact: 'token_used'; readonly grant: Grant; readonly resource: string }
  /** A client endpoint refuses it. Its error follows. */
  | ({
      readonly fact: 'client_refused'
      readonly endpoint?: string | undefined
      readonly records: PresentedRecords
    } & About)

/** What a request is about, as far as it is known. */
export interface About {
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
  readonly client?: Client | undefined
  readonly clientId?: string | undefined
  readonly subject?: string | undefined
  /** The `reference` of the record that the request is about. */
  readonly reference?: string | undefined
}

export type DocumentOrigin = 'host' | 'cache' | 'last approval' | 'copy'

/** The records that a credential names, whoever presents it. */
export interface PresentedRecords {
  readonly grant?: Grant | undefined
  readonly transient?: Transient | undefined
  /** Of the credential, as its record stores it. */
  readonly hash?: Hash | undefined
}

/** Where an error arises. */
export interface ErrorPlace {
  /** The metadata member of the endpoint (RFC 8414 2), such as `token_endpoint`. */
  readonly endpoint?: string | undefined
  /** At a guard. */
  readonly call?: ObservedCall | undefined
}

/** A call of an API. Its guard adds what it finds. */
export interface ObservedCall {
  readonly resource: string
  grant?: Grant | undefined
  /** Of the access token. */
  hash?: Hash | undefined
}

/** An `OAuthError`, or its definition. */
export interface ReportedError {
  readonly reason: string
  readonly status: number
  readonly parameters?: Readonly<Record<string, string>> | undefined
  readonly facts?: ErrorFacts | undefined
}

export interface GrantEnd {
  readonly by: 'client' | 'user' | 'operator' | 'server'
  readonly reason?: string | undefined
}

/** The sink of events of a server or a guard, and its observer. */
export interface Observed {
  readonly emit: Emit
  readonly observer?: Observer | undefined
}

export function observed(context: ObserverContext, create?: CreateObserver, secret?: string): Observed {
  const { emit } = context
  const observer = create?.(context, secret)
  if (observer === undefined) return { emit }
  return {
    observer,
    emit(event, request) {
      emit(event)
      observer.emitted(event, request)
    },
  }
}
