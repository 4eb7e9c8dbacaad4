import { type Answer, answerOf } from './attempt.ts'
import type { GrantkitRecords } from './object.ts'
import { positionIn } from './placement.ts'

/** A stub: each method of the object, with its answer after a round trip. */
export type RecordsStub = {
  readonly [Method in 'run' | 'enlist' | 'entries' | 'findAll' | 'objectsOfStore']: (
    ...parameters: Parameters<GrantkitRecords[Method]>
  ) => Promise<ReturnType<GrantkitRecords[Method]>>
}

/** What the store needs of the binding of `GrantkitRecords`. */
export interface RecordsNamespace {
  getByName(name: string, options?: { locationHint?: LocationHint }): RecordsStub
  jurisdiction(jurisdiction: Jurisdiction): RecordsNamespace
}

export type Jurisdiction = 'eu' | 'us' | 'fedramp'
export type LocationHint = 'wnam' | 'enam' | 'sam' | 'weur' | 'eeur' | 'apac' | 'oc' | 'afr' | 'me'

export interface Objects {
  call<T>(key: string, method: (stub: RecordsStub) => Promise<T>): Promise<Answer<T>>
  callAt<T>(position: number, method: (stub: RecordsStub) => Promise<T>): Promise<Answer<T>>
  positionOf(key: string): number
  readonly count: number
}

export interface ObjectsOptions {
  readonly count: number
  readonly locationHint: LocationHint | undefined
  readonly jurisdiction: Jurisdiction | undefined
  readonly commandTimeout: number
}

/** Stores whose number of objects is checked, by binding: once in an isolate, even if each request makes its store. */
const CHECKED = new WeakMap<RecordsNamespace, Set<string>>()

export function objectsOf(
  binding: RecordsNamespace,
  { count, locationHint, jurisdiction, commandTimeout }: ObjectsOptions,
): Objects {
  const namespace = jurisdiction === undefined ? binding : binding.jurisdiction(jurisdiction)
  const place = locationHint && { locationHint }

  /** A stub belongs to the request that made it, and may be broken after an error: each attempt makes one. */
  function send<T>(position: number, method: (stub: RecordsStub) => Promise<T>): Promise<Answer<T>> {
    const attempt = async () => method(namespace.getByName(`g/${position}`, place))
    return answerOf(commandTimeout, attempt, isRetryable)
  }

  /**
   * Keeps no promise: a request cannot wait for a call of another one. While the first object cannot be reached, the records of
   * the others can, and the next call checks again.
   */
  async function check(): Promise<void> {
    const store = `${jurisdiction} ${count}`
    const checked = CHECKED.get(binding) ?? new Set()
    if (checked.has(store)) return
    const answer = await send(0, (stub) => stub.objectsOfStore(count)).catch(() => undefined)
    if (answer === undefined) return
    if (answer.result !== count) throw new ObjectCountError(count, answer.result)
    CHECKED.set(binding, checked.add(store))
  }

  async function callAt<T>(position: number, method: (stub: RecordsStub) => Promise<T>): Promise<Answer<T>> {
    await check()
    return send(position, method)
  }

  const positionOf = (key: string) => positionIn(count, key)
  return { callAt, positionOf, count, call: (key, method) => callAt(positionOf(key), method) }
}

/** Another number would look for most records in the wrong object. */
class ObjectCountError extends Error {
  constructor(wanted: number, kept: number) {
    super(`This store was begun with ${kept} objects: set objects to ${kept}, not ${wanted}`)
    this.name = 'ObjectCountError'
  }
}

/** An overloaded object gets no second call. */
function isRetryable(error: unknown): boolean {
  const { retryable, overloaded } = Object(error) as { retryable?: boolean; overloaded?: boolean }
  return retryable === true && overloaded !== true
}
