import type { Recorder } from './recorder.ts'

/** The adapter under test. */
export interface Target {
  /** Available only while the tests run. */
  readonly url: string
  readonly recorder: Recorder
}
