/** How modules record which sign-in attempt a request belongs to, and its outcome (docs/adr/0062). */
import type { Emit } from './events.ts'
import type { ErrorFacts } from './oauth-error.ts'
import type { Client, Grant } from './records.ts'
import type { Random } from './secrets.ts'
import type { StepFacts, StepName } from './sign-in-steps.ts'

/** The members of a request record that are read here. The record itself identifies the request. */
export interface AttemptRequest {
  readonly path: string
  readonly remoteAddress?: string | undefined
}

/** What a module knows about a request. All later steps have these facts. */
export interface KnownOfRequest extends StepFacts {
  /** Parameters of the request. They need not be valid: what no step may have is removed. */
  readonly sent?: Readonly<Record<string, unknown>> | undefined
  readonly client?: Client | undefined
  /** The grant that the request is about. */
  readonly grant?: Grant | undefined
  /** The reference in another record that the request is about. */
  readonly reference?: string | undefined
  /** The step that an error of this request refuses. Default, and after each step: `request_refused`. */
  readonly expects?: StepName | undefined
}

/**
 * Makes the sign-in attempts of a server or a guard: `signInAttempts` of `@grantkit/core/explain`. It comes as an option, so that
 * a program that does not use it does not load it.
 *
 * @param secret that references are derived with
 */
export type ExplainSignIns = (context: AttemptsContext, secret?: string) => SignInAttempts

export interface AttemptsContext {
  readonly emit: Emit
  /** Epoch seconds. */
  readonly now: () => number
  readonly random: Random
}

/** The sign-in attempts of the option `explain`. Without it, `Kernel.attempts` is absent. */
export interface SignInAttempts {
  know(request: AttemptRequest, known: KnownOfRequest): void
  /** A step that succeeded. */
  step(request: AttemptRequest, step: StepName, known?: KnownOfRequest): void
  /** An error answers the request. */
  refused(request: AttemptRequest, error: AnsweredError): RefusedAttempt
  /** A step that succeeded, of a grant that has a reference. On the path of every token request, so nothing else is looked up. */
  used(grant: Grant, step: StepName, request: AttemptRequest, issued: Issued): void
  /** A guard has accepted a token of the grant. The first time at this guard is a step. */
  called(grant: Grant, resource: string, request: AttemptRequest): void
  /** 8 characters, without a dash. */
  referenceOf(request: AttemptRequest): string
  /** As users see it. */
  shownReferenceOf(request: AttemptRequest): string
  /** A grant has ended, by a request or without one. */
  ended(grant: Grant, why: GrantEnd): void
}

/** The members of issued tokens that are read here. */
type Issued = Pick<Grant, 'scopes' | 'resources'>

/** An `OAuthError`, or its definition. */
interface AnsweredError {
  readonly reason: string
  readonly status: number
  readonly parameters?: Readonly<Record<string, string>> | undefined
  readonly facts?: ErrorFacts | undefined
}

/** What is known of the attempt of an error, for its event. */
interface RefusedAttempt extends Pick<StepFacts, 'clientId' | 'subject'> {
  /** As users see it, with the second group. */
  readonly reference: string
}

export interface GrantEnd {
  readonly by: NonNullable<StepFacts['by']>
  readonly reason?: string | undefined
}
