/** The facts of a step, as the messages and records of a request have them. No secret gets through. */
import type { Client, Grant } from '@grantkit/core/feature'
import { type ErrorFacts, withoutSecrets } from '@grantkit/core/internal'
import type { StepFacts, StepName } from './sign-in-steps.ts'

/** What is learned of a request. All later steps have these facts. */
export interface KnownOfRequest extends StepFacts {
  /** Parameters of the request. They need not be valid: what no step may have is removed. */
  readonly sent?: Readonly<Record<string, unknown>> | undefined
  readonly client?: Client | undefined
  readonly grant?: Grant | undefined
  /** The reference in another record that the request is about. */
  readonly reference?: string | undefined
  /** The step that an error of this request refuses. Default, and after each step: `request_refused`. */
  readonly expects?: StepName | undefined
}

/** What joins the requests of one attempt. It is never in a step. */
export interface AttemptIdentity {
  readonly clientId?: string | undefined
  /** The S256 challenge. */
  readonly challenge?: string | undefined
  readonly verifier?: string | undefined
  readonly state?: string | undefined
}

type Sent = NonNullable<KnownOfRequest['sent']>

export function identityIn(sent: Sent): AttemptIdentity {
  return {
    clientId: textOf(sent.client_id),
    challenge: textOf(sent.code_challenge),
    verifier: textOf(sent.code_verifier),
    state: textOf(sent.state),
  }
}

const MAX_CLIENT_ID = 512
const MAX_SCOPE = 1000

/** The facts in parameters, which an unauthenticated caller may have made up. */
export function sentFacts({ client_id, redirect_uri, scope, resource }: Sent): StepFacts {
  return {
    clientId: clipped(textOf(client_id), MAX_CLIENT_ID),
    redirectUri: addressesIn(redirect_uri),
    scopes: clipped(textOf(scope), MAX_SCOPE)?.split(' '),
    resource: addressesIn(resource),
  }
}

export function clientFacts({ clientId, origin, knownClient }: Client): StepFacts {
  return { clientId, clientKind: origin, knownClient }
}

export function errorFacts({ expected, fault }: ErrorFacts = {}): StepFacts {
  return {
    ...(expected && { expected: addressesIn(expected) }),
    ...(fault && { fault }),
  }
}

/** The record of a grant that has ended has an empty client id. */
export function grantFacts({ id, clientId, subject }: Grant): StepFacts {
  return { grantId: id, clientId: clientId || undefined, subject }
}

const MAX_ADDRESSES = 10
const MAX_ADDRESS = 300

/** One URI or a list of them, separated by spaces. */
function addressesIn(uris: unknown): string | undefined {
  const sent = [uris ?? []].flat().filter((uri) => typeof uri === 'string')
  return sent.slice(0, MAX_ADDRESSES).map(withoutQuery).join(' ') || undefined
}

/**
 * A URI as it was sent, so that a slash too many can be seen, without query, fragment and user information. The client may have
 * sent any other text in its place.
 */
function withoutQuery(uri: string): string {
  const address = uri.replace(/[?#].*/s, '')
  return clipped(address.replace(/^([a-z][\w+.-]*:)?(\/\/)?[^/]*@/i, '$1$2'), MAX_ADDRESS)
}

/**
 * Visible ASCII, as URIs and scopes are, and a copy: V8 keeps a whole request alive for one part of its text, and steps are kept
 * in memory.
 */
function clipped<Text extends string | undefined>(text: Text, length: number): Text {
  if (text === undefined) return text
  const visible = withoutSecrets(text.slice(0, length)).replace(/[^ -~]/g, '?')
  return copied(visible) as Text
}

export function copied(text: string): string {
  return Buffer.from(text).toString()
}

/** A repeated parameter is an array, and counts as absent. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
