/** How modules tell which sign-in attempt a request belongs to, and what became of it (docs/adr/0062). */
import type { ErrorFacts } from './oauth-error.ts'
import type { Client, Grant } from './records.ts'
import type { StepFacts, StepName } from './sign-in-steps.ts'

/** The members of a request record that are read here. The record itself identifies the request. */
export interface AttemptRequest {
  readonly path: string
  readonly remoteAddress?: string | undefined
}

/** What a module knows of a request. Its facts are in all steps from then on. */
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

/** The sign-in attempts of the option `explain`. Without it, `Kernel.attempts` is absent. */
export interface SignInAttempts {
  know(request: AttemptRequest, known: KnownOfRequest): void
  /** A step that succeeded. */
  step(request: AttemptRequest, step: StepName, known?: KnownOfRequest): void
  /** An error answers the request. @returns the reference for it, as users see it, with its second group */
  refused(request: AttemptRequest, error: AnsweredError): string
  /** A step that succeeded, of a grant that has a reference. On the path of every token request, so nothing else is looked up. */
  used(grant: Grant, step: StepName, request: AttemptRequest, facts: StepFacts): void
  /** A guard has accepted a token of the grant. The first time at this guard is a step. */
  called(grant: Grant, resource: string, request: AttemptRequest): void
  /** 8 characters, without a dash. */
  referenceOf(request: AttemptRequest): string
  /** As users see it. */
  shownReferenceOf(request: AttemptRequest): string
  /** A grant has ended, by a request or without one. */
  ended(grant: Grant, why: GrantEnd): void
}

/** An `OAuthError`, or its definition. */
interface AnsweredError {
  readonly reason: string
  readonly status: number
  readonly parameters?: Readonly<Record<string, string>> | undefined
  readonly facts?: ErrorFacts | undefined
}

export interface GrantEnd {
  readonly by: NonNullable<StepFacts['by']>
  readonly reason?: string | undefined
}
