/** The steps of one attempt, as they are kept in memory. */
import type { StepEvent } from './sign-in-steps.ts'

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
