import type { Recorder } from './recorder.ts'

/** What the suites examine. */
export interface Target {
  /** Only there once the tests run. */
  readonly url: string
  readonly recorder: Recorder
}
