import { readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second, whatever its own clock does (`man 5 proc_stat`). */
const TICKS_PER_SECOND = 100

/** Seconds, of all cores since the start, in which this virtual machine had work and its host ran another one. */
export function stolenSeconds(): number {
  try {
    const [total = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    const [, , , , , , , , stolen = 0] = total.split(/\s+/)
    return Number(stolen) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}
