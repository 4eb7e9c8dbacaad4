import { readFileSync } from 'node:fs'

/** Linux always counts in hundredths of a second (`man 5 proc_stat`). */
const TICKS_PER_SECOND = 100

/** The seconds of all cores since boot in which this virtual machine had work, but its host ran another one. */
export function stolenSeconds(): number {
  try {
    const [total = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    const [, , , , , , , , stolen = 0] = total.split(/\s+/)
    return Number(stolen) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}
