import type { Store } from '@grantkit/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Clock, fakeClock, realClock } from './clock.ts'
import { expiryPromises } from './store/expiry.ts'
import { grantModelPromises } from './store/grant-model.ts'
import { idPromises } from './store/ids.ts'
import { listingPromises } from './store/listing.ts'
import { modelPromises } from './store/model.ts'
import { racePromises } from './store/races.ts'
import { CLIENTS, GRANTS, type ListedKind, type RecordKind, TRANSIENTS } from './store/record-kind.ts'
import { recordPromises } from './store/records.ts'
import { restartPromises } from './store/restart.ts'
import { scanPromises } from './store/scan.ts'
import { secretPromises } from './store/secrets.ts'
import { skewPromises } from './store/skew.ts'
import type { Subject } from './store/subject.ts'
import { clientValuePromises, grantValuePromises, valuePromises } from './store/values.ts'

export interface StoreUnderTest {
  readonly store: Store
  /** Called once, after the last test. */
  close?(): Promise<void> | void
  /** Crashes what keeps the records and starts it again on what it wrote. Needed for `survivesRestart`. */
  restart?(): Promise<void>
}

/** Makes the store to test. It may hold other records: the suite uses ids and subjects of its own. */
export type CreateStore = (options: {
  /** The time in epoch seconds, which the store has to go by. */
  readonly now: () => number
}) => Promise<StoreUnderTest> | StoreUnderTest

export interface DescribeStoreOptions {
  /**
   * For a store that expires records by a clock of its own: `now` is then the real time, and the suite waits a few
   * real seconds for each expiry. Default: false.
   */
  readonly realTime?: boolean
  /** For a store that promises to keep what it acknowledged when its server crashes. Default: false. */
  readonly survivesRestart?: boolean
  /** Whether the store keeps transients too, the optional third kind. Default false. */
  readonly transients?: boolean
}

/**
 * Proves every promise of the `Store` port, one vitest test each. Call it at the top level of a test file.
 *
 * @param name how the reports call the store
 */
export function describeStore(
  name: string,
  createStore: CreateStore,
  { realTime = false, survivesRestart = false, transients = false }: DescribeStoreOptions = {},
): void {
  describe(`store ${name}`, () => {
    const clock: Clock = realTime ? realClock : fakeClock()
    let made: StoreUnderTest | undefined
    beforeAll(async () => {
      made = await createStore({ now: clock.now })
    })
    afterAll(() => made?.close?.())

    const subject: Subject = {
      clock,
      realTime,
      get store() {
        if (made === undefined) throw new Error(`The store ${name} was not created`)
        return made.store
      },
      async restart() {
        if (made?.restart === undefined) throw new Error(`createStore gives no way to restart ${name}`)
        await made.restart()
      },
    }
    describe('clients', () => listedKindPromises(subject, CLIENTS))
    describe('grants', () => listedKindPromises(subject, GRANTS))
    if (transients) describe('transients', () => eachKindPromises(subject, TRANSIENTS))
    else
      it('has no transients, or this suite is told', () => expect(subject.store.transients).toBeUndefined())
    clientValuePromises(subject)
    grantValuePromises(subject)
    listingPromises(subject)
    secretPromises(subject)
    grantModelPromises(subject)
    skewPromises(subject)
    if (survivesRestart) {
      restartPromises(subject, CLIENTS)
      restartPromises(subject, GRANTS)
      if (transients) restartPromises(subject, TRANSIENTS)
    }
  })
}

function eachKindPromises<T>(subject: Subject, kind: RecordKind<T>): void {
  recordPromises(subject, kind)
  racePromises(subject, kind)
  expiryPromises(subject, kind)
  valuePromises(subject, kind)
  idPromises(subject, kind)
}

function listedKindPromises<T>(subject: Subject, kind: ListedKind<T>): void {
  eachKindPromises(subject, kind)
  scanPromises(subject, kind)
  modelPromises(subject, kind)
}
