/** What a long command does now, on standard error: a command that prints nothing looks like one that hangs. */

const EVERY_MS = 20_000
let printed = performance.now()

/** Prints the line if none was printed for a while. For a loop, at each step. */
export function tick(line: () => string): void {
  if (performance.now() - printed < EVERY_MS) return
  printed = performance.now()
  console.error(line())
}

/** Prints the line now, and again for as long as the work takes. */
export async function during<T>(line: string, work: Promise<T>): Promise<T> {
  const begun = performance.now()
  printed = begun
  console.error(line)
  const again = () => tick(() => `${line}: for ${Math.round((performance.now() - begun) / 1000)} s`)
  const timer = setInterval(again, 1000)
  return work.finally(() => clearInterval(timer))
}
