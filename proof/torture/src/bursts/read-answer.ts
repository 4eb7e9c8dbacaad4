import type { HttpAnswer } from '../client/http-answer.ts'
import { jsonOf, textOf } from '../client/metadata.ts'
import type { Delivery } from '../client/transport.ts'
import type { Operation, OperationResult } from '../history/operation.ts'
import type { Recorder } from '../history/recorder.ts'
import type { Attempt, Outcome, Tokens } from './attempt.ts'

const BRINGS_TOKENS = ['redeem', 'poll', 'refresh', 'exchange']

/** Writes an answer into the history. @param hidden the answer is kept from the acting client */
export function readAnswer(
  recorder: Recorder,
  attempt: Attempt,
  delivery: Delivery,
  hidden = false,
): Outcome {
  const { answer } = delivery
  const json = jsonOf(answer?.body ?? '') ?? {}
  const tokens =
    answer !== undefined && isGood(answer) && BRINGS_TOKENS.includes(attempt.f) ? tokensOf(json, attempt) : {}
  const operation = recorder.add({
    ...subjectOf(recorder, attempt),
    ...((hidden || delivery.torn) && { forgotten: true }),
    ...broughtBy(recorder, tokens),
    ...excess(attempt, tokens),
    ...resultOf(attempt, answer, json),
    ...{ invoked: delivery.invoked, returned: delivery.returned },
  })
  return { operation, tokens: hidden ? {} : tokens, json: hidden ? {} : json }
}

function subjectOf(recorder: Recorder, { process, f, family, replica, key, forbidden }: Attempt) {
  return {
    ...{ process, f, family },
    ...(replica && { replica }),
    ...(key !== undefined && { key: recorder.hash(key) }),
    ...(forbidden && { forbidden }),
  }
}

function broughtBy(recorder: Recorder, { access, refresh, expiresIn }: Tokens) {
  return {
    ...(access && { access: recorder.hash(access) }),
    ...(refresh && { refresh: recorder.hash(refresh) }),
    ...(expiresIn !== undefined && { expiresIn }),
  }
}

/** A server may answer a request for too much with less (RFC 6749 section 3.3), which is no fault. */
function excess({ limit }: Attempt, { scope = [] }: Tokens) {
  const more = limit === undefined ? [] : scope.filter((each) => !limit.includes(each))
  return more.length > 0 && { forbidden: `more than the grant: ${more.join(' ')}` }
}

function resultOf(
  { f }: Attempt,
  answer: HttpAnswer | undefined,
  json: Record<string, unknown>,
): Pick<Operation, 'result' | 'status' | 'error' | 'active' | 'skew'> {
  if (answer === undefined) return { result: 'info' }
  const error = textOf(json.error)
  const clock = Date.parse(answer.headers.date ?? '')
  return {
    ...{ result: resultByStatus(answer), status: answer.status },
    ...(error && { error }),
    ...(f === 'use' && { active: isGood(answer) }),
    ...(f === 'introspect' && isGood(answer) && { active: json.active === true }),
    ...(Number.isFinite(clock) && { skew: clock - Date.now() }),
  }
}

function resultByStatus(answer: HttpAnswer): OperationResult {
  if (answer.status >= 500 && answer.status !== 503) return 'info'
  return isGood(answer) ? 'ok' : 'fail'
}

function isGood({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 400
}

function tokensOf(json: Record<string, unknown>, attempt: Attempt): Tokens {
  const scope = textOf(json.scope)?.split(' ') ?? attempt.scope
  return {
    access: textOf(json.access_token),
    refresh: textOf(json.refresh_token),
    idToken: textOf(json.id_token),
    scope,
    expiresIn: typeof json.expires_in === 'number' ? json.expires_in : undefined,
  }
}
