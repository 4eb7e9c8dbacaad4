import { errors } from 'jose'
import { ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'
import type { Claims } from './address.ts'

/** What an error of the client says to the operator: the claim or parameter, what came, and what was expected. */
export function faultOf(error: unknown): Error {
  return new Error(sentenceOf(error), { cause: error })
}

function sentenceOf(error: unknown): string {
  const chain = chainOf(error)
  for (const { error: code, error_description: description } of chain.flatMap(answersIn))
    if (typeof code === 'string') return typeof description === 'string' ? `${code}: ${description}` : code
  for (const { cause } of chain) {
    const compared = comparison(Object(cause))
    if (compared !== undefined) return compared
  }
  const last = chain.at(-1)
  const status = last?.cause instanceof Response ? ` (${last.cause.status} from ${last.cause.url})` : ''
  return `${last?.message ?? String(error)}${status}`
}

/** An error with the errors that caused it, the first cause last. */
function chainOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : []
}

/** Where the error of an OAuth response may be. GitHub sends it with the status 200. */
function answersIn(error: Error): readonly Claims[] {
  return [error as unknown as Claims, Object(Object(error.cause).body)]
}

/** What the library compared. */
interface Compared {
  readonly claim?: string
  readonly claims?: Claims
  readonly attribute?: string
  readonly body?: Claims
  readonly parameters?: URLSearchParams
  readonly expected?: unknown
  readonly now?: number
  readonly tolerance?: number
}

function comparison({ expected, now, tolerance, ...compared }: Compared): string | undefined {
  const { claim, claims, attribute, body, parameters } = compared
  if (claim !== undefined && now !== undefined)
    return `${claim} of the ID token is ${claims?.[claim]}. Here it is ${now}, and ${tolerance} seconds are tolerated`
  if (claim !== undefined) return differs(`${claim} of the ID token`, claims?.[claim], expected)
  // Nobody's log has to say whose.
  if (attribute === 'sub') return 'UserInfo is about another sub'
  if (attribute !== undefined) return differs(attribute, body?.[attribute], expected)
  if (parameters?.has('iss') && expected !== undefined)
    return differs('iss of the response', parameters.get('iss'), expected)
  return undefined
}

function differs(name: string, got: unknown, wanted: unknown): string {
  return `${name} is ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`
}

/** Whether the document is of another issuer than the configured one. */
export function isOfOtherIssuer(error: unknown): boolean {
  return chainOf(error).some(({ cause }) => (Object(cause) as Compared).attribute === 'issuer')
}

/** Whether other metadata could explain it: other keys, or another token endpoint. */
export function mayComeFromOldMetadata(error: unknown): boolean {
  return chainOf(error).some(
    (link) =>
      link instanceof ResponseBodyError ||
      link instanceof WWWAuthenticateChallengeError ||
      link instanceof errors.JWSSignatureVerificationFailed ||
      link instanceof errors.JWKSNoMatchingKey ||
      (link.cause instanceof Response && link.cause.status >= 400 && link.cause.status < 500),
  )
}
