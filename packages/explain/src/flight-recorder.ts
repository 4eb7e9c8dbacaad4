/** The latest sign-in attempts, in the memory of this process. It collects events into attempts. */
import type { StepEvent, StepName } from './sign-in-steps.ts'

/** A sign-in attempt: what one person wanted once. */
export interface Attempt {
  /** 8 characters, without a dash. */
  readonly reference: string
  /** The first steps and the latest, in their order. */
  readonly steps: readonly StepEvent[]
  /** The number of steps between them that are not kept. */
  readonly omitted: number
}

export interface AttemptFilter {
  readonly clientId?: string | undefined
  readonly subject?: string | undefined
  /** Only those with a step that was refused or that failed. */
  readonly failed?: boolean | undefined
  /** Default 20. */
  readonly limit?: number | undefined
}

export interface FlightRecorder {
  /** For `onEvent` of the server and of its guards. Ignores all events but steps. */
  onEvent(event: { readonly type: string }): void
  /** @param reference 8 characters, from `parseReference` */
  attempt(reference: string): Attempt | undefined
  /** The latest attempts, the newest first. */
  recent(filter?: AttemptFilter): Attempt[]
  /** Removes the attempts of a user. */
  forget(subject: string): void
}

export interface FlightRecorderOptions {
  /** The number of attempts to keep, at most 5,000. Default 5,000. */
  readonly keep?: number | undefined
}

const MAX_ATTEMPTS = 5000
const MAX_BYTES = 4 * 1024 * 1024
const MAX_OF_NETWORK = 50
const MAX_OF_USER = 50
const MAX_OF_CLIENT = 500

/**
 * Keeps the latest sign-in attempts in at most 4 MiB. Unauthenticated callers can fill it, so there are at most 50 attempts of
 * a user, and of those without a user 50 of a network and 500 of a client. The oldest attempt of the network with the most attempts is
 * dropped first, and attempts of signed-in users last: a flood displaces only its own attempts.
 *
 * @throws Error that names the option at fault
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { createFlightRecorder, signInAttempts } from '@grantkit/explain'
 *
 * const recorder = createFlightRecorder()
 * const { onEvent } = recorder
 * const options = { issuer, store, scopes, secret, interaction }
 * export const authorization = createAuthorizationServer({ ...options, observer: signInAttempts, onEvent })
 * export const failures = () => recorder.recent({ failed: true })
 * ```
 */
export function createFlightRecorder({ keep = MAX_ATTEMPTS }: FlightRecorderOptions = {}): FlightRecorder {
  if (!Number.isInteger(keep) || keep < 1 || keep > MAX_ATTEMPTS)
    throw new Error(`createFlightRecorder: keep must be a whole number from 1 to ${MAX_ATTEMPTS}`)
  // In the order of their first steps.
  const attempts = new Map<string, RecordedSteps>()
  const ofNetwork = attemptGroups()
  const ofUser = attemptGroups()
  const ofClient = attemptGroups()
  let bytes = 0

  function begin(step: StepEvent): RecordedSteps {
    const attempt = recordedSteps(step)
    attempts.set(attempt.reference, attempt)
    for (const oldest of [
      ofNetwork.add(attempt.network, attempt, MAX_OF_NETWORK),
      ofClient.add(attempt.clientId, attempt, MAX_OF_CLIENT),
    ])
      if (oldest !== undefined) remove(oldest)
    return attempt
  }

  /** The flood of a network, or of a client, cannot displace it any more: its user has a limit instead. */
  function assign(attempt: RecordedSteps, subject: string): void {
    attempt.subject = subject
    ofNetwork.remove(attempt.network, attempt)
    ofClient.remove(attempt.clientId, attempt)
    const oldest = ofUser.add(subject, attempt, MAX_OF_USER)
    if (oldest !== undefined) remove(oldest)
  }

  /** Does nothing for an attempt that was removed before. */
  function remove(attempt: RecordedSteps): void {
    const { reference, network, subject, clientId } = attempt
    if (!attempts.delete(reference)) return
    ofNetwork.remove(network, attempt)
    ofUser.remove(subject ?? '', attempt)
    ofClient.remove(clientId, attempt)
    bytes -= attempt.bytes
  }

  function add(step: StepEvent): void {
    const known = attempts.get(step.reference)
    if (known === undefined && isContinuation(step)) return
    const attempt = known ?? begin(step)
    const before = known?.bytes ?? 0
    addStep(attempt, step)
    bytes += attempt.bytes - before
    if (step.subject !== undefined && attempt.subject === undefined) assign(attempt, step.subject)
    while (bytes > MAX_BYTES || attempts.size > keep)
      remove((ofNetwork.oldestOfFullest() ?? ofUser.oldestOfFullest()) as RecordedSteps)
  }

  return {
    onEvent(event) {
      if (event.type === 'step') add(event as StepEvent)
    },
    attempt(reference) {
      const found = attempts.get(reference)
      return found && attemptOf(found)
    },
    recent: (filter = {}) => latest([...attempts.values()], filter),
    forget(subject) {
      for (const attempt of attempts.values()) if (isOf(attempt, { subject })) remove(attempt)
    },
  }
}

const CONTINUATIONS: readonly StepName[] = ['code_redeemed', 'refreshed', 'first_call']

/**
 * A success of an attempt whose beginning is in another process, or was removed. It explains nothing, and refreshes of grants
 * that live for months would displace what does.
 */
function isContinuation({ step, outcome }: StepEvent): boolean {
  return outcome === 'ok' && CONTINUATIONS.includes(step)
}

function attemptOf({ reference, steps, omitted }: RecordedSteps): Attempt {
  return { reference, steps: [...steps], omitted }
}

function latest(all: readonly RecordedSteps[], { limit = 20, ...filter }: AttemptFilter): Attempt[] {
  return all
    .filter((attempt) => isOf(attempt, filter))
    .reverse()
    .sort((one, other) => latestAt(other) - latestAt(one))
    .slice(0, limit)
    .map(attemptOf)
}

function latestAt({ steps }: RecordedSteps): number {
  return steps.at(-1)?.at ?? 0
}

function isOf({ steps }: RecordedSteps, { clientId, subject, failed }: AttemptFilter): boolean {
  return (
    (clientId === undefined || steps.some((step) => step.clientId === clientId)) &&
    (subject === undefined || steps.some((step) => step.subject === subject)) &&
    (failed !== true || steps.some(({ outcome }) => outcome !== 'ok'))
  )
}

// The steps of one attempt, as they are kept.

/** The beginning and the end of an attempt explain it. Between them, an app refreshes for weeks, or a loop repeats itself. */
const FIRST = 12
const LATEST = 12

export interface RecordedSteps {
  readonly reference: string
  /** Of the first step; empty if its address was not known. */
  readonly network: string
  /** The user, once signed in. */
  subject: string | undefined
  /** Of the first step; empty if it names none. */
  readonly clientId: string
  readonly steps: StepEvent[]
  /** What each step takes in memory, roughly. */
  readonly sizes: number[]
  omitted: number
  /** The memory of all steps. */
  bytes: number
}

/** An attempt in the maps of the recorder, and the object of a step. `allocations.night.test.ts` measures the whole recorder. */
const BYTES_OF_ATTEMPT = 700
const BYTES_OF_STEP = 400

export function recordedSteps({ reference, network = '', clientId = '' }: StepEvent): RecordedSteps {
  return {
    ...{ reference, network, clientId, subject: undefined },
    ...{ steps: [], sizes: [], omitted: 0, bytes: BYTES_OF_ATTEMPT },
  }
}

export function addStep(attempt: RecordedSteps, step: StepEvent): void {
  const { steps, sizes } = attempt
  const size = bytesOf(step, steps.at(-1))
  steps.push(step)
  sizes.push(size)
  attempt.bytes += size
  if (steps.length <= FIRST + LATEST) return
  steps.splice(FIRST, 1)
  attempt.bytes -= sizes.splice(FIRST, 1)[0] ?? 0
  attempt.omitted++
}

/** The steps of one request share their texts. */
function bytesOf(step: StepEvent, before: StepEvent | undefined): number {
  let bytes = BYTES_OF_STEP
  for (const key in step) {
    const name = key as keyof StepEvent
    if (step[name] !== before?.[name]) bytes += lengthOf(step[name])
  }
  return bytes
}

function lengthOf(fact: unknown): number {
  if (typeof fact === 'string') return fact.length
  // 32 bytes for each scope and what points to it.
  return Array.isArray(fact) ? fact.reduce((sum, name) => sum + 32 + String(name).length, 0) : 0
}

/** Attempts by a name that they share; those without one are no group. */
export function attemptGroups() {
  const groups = new Map<string, Set<RecordedSteps>>()
  const oldestOf = ([oldest]: Iterable<RecordedSteps>) => oldest
  return {
    /** @returns the oldest attempt of a group that has too many */
    add(name: string, attempt: RecordedSteps, max: number): RecordedSteps | undefined {
      const group = groups.get(name)?.add(attempt) ?? new Set([attempt])
      groups.set(name, group)
      return name !== '' && group.size > max ? oldestOf(group) : undefined
    },
    remove(name: string, attempt: RecordedSteps): void {
      const group = groups.get(name)
      group?.delete(attempt)
      if (group?.size === 0) groups.delete(name)
    },
    oldestOfFullest(): RecordedSteps | undefined {
      let fullest = new Set<RecordedSteps>()
      for (const group of groups.values()) if (group.size > fullest.size) fullest = group
      return oldestOf(fullest)
    },
  }
}
