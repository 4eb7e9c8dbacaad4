import { performance } from 'node:perf_hooks'

interface Vigil {
  /** @returns the seconds in which there was nothing to do */
  end(): number
}

/**
 * Turns the event loop without ever sleeping. To wake a sleeping core costs the sender up to 20 µs in a virtual machine: a
 * slow server would pay that for each answer, a fast one, whose next answer comes before the core has fallen asleep, for none.
 *
 * @param done how much has been done so far
 */
export function stayAwake(done: () => number): Vigil {
  let idle = 0
  let seen = done()
  let last = performance.now()
  let awake = true
  const turn = () => {
    const now = performance.now()
    if (done() === seen) idle += now - last
    seen = done()
    last = now
    if (awake) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    end() {
      awake = false
      return idle / 1000
    },
  }
}
