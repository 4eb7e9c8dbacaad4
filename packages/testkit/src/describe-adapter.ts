import type { Route } from '@grantkit/core/adapter'
import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { bodyPromises } from './adapter/bodies.ts'
import { faultPromises } from './adapter/faults.ts'
import { Recorder } from './adapter/recorder.ts'
import { requestPromises } from './adapter/requests.ts'
import { responsePromises } from './adapter/responses.ts'
import { routingPromises } from './adapter/routing.ts'
import type { Target } from './adapter/target.ts'
import { unusualRequestPromises } from './adapter/unusual-requests.ts'

/** An application that listens. */
export interface Mounted {
  /** Its origin on plain HTTP: `http://127.0.0.1:49152`. */
  readonly url: string
  close(): Promise<void>
}

/** Mounts routes through the adapter into an application of its framework, and listens on a free loopback port. */
type Mount = (routes: readonly Route[]) => Promise<Mounted>

/**
 * Tests that an adapter only translates: requests reach `handle` unchanged, and its answers leave unchanged. Requests
 * are written by hand, so no client corrects them. Call it at the top level of a test file.
 *
 * @param name the name of the adapter in reports
 */
export function describeAdapter(name: string, mount: Mount): void {
  describe(`adapter ${name}`, () => {
    const recorder = new Recorder()
    let mounted: Mounted | undefined
    beforeAll(async () => {
      mounted = await mount(recorder.routes)
    })
    afterAll(() => mounted?.close())
    beforeEach(() => recorder.reset())

    const target: Target = {
      recorder,
      get url() {
        if (mounted === undefined) throw new Error(`The adapter ${name} was not mounted`)
        return mounted.url
      },
    }
    requestPromises(target)
    unusualRequestPromises(target)
    bodyPromises(target)
    routingPromises(target)
    responsePromises(target)
    faultPromises(target)
  })
}
