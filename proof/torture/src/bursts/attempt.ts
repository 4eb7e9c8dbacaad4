import type { Client } from '../client/client-authentication.ts'
import type { HttpRequest } from '../client/transport.ts'
import type { Operation, OperationKind } from '../history/operation.ts'

/** Tokens as an answer brought them. They stay in memory. */
export interface Tokens {
  readonly access?: string | undefined
  readonly refresh?: string | undefined
  readonly idToken?: string | undefined
  readonly scope?: readonly string[] | undefined
  /** Of the access token, in seconds. */
  readonly expiresIn?: number | undefined
}

/** A request of a process, ready to be sent. */
export interface Attempt {
  readonly process: string
  readonly f: OperationKind
  readonly family: string
  readonly request: HttpRequest
  /** The credential that it presents. */
  readonly key?: string | undefined
  readonly client?: Client | undefined
  readonly replica?: string | undefined
  /** Why the server must refuse it in any state of the grant. */
  readonly forbidden?: string | undefined
  /** What it requests: without a scope in the answer, it got this (RFC 6749 section 5.1). */
  readonly scope?: readonly string[] | undefined
  /** What the grant has: an answer with more is forbidden. */
  readonly limit?: readonly string[] | undefined
}

/** What became of an attempt. */
export interface Outcome {
  readonly operation: Operation
  /** What the acting client has seen. Empty after a lost answer. */
  readonly tokens: Tokens
  /** The JSON of the answer. */
  readonly json: Readonly<Record<string, unknown>>
}
