/** Some megabyte. A name that was forgotten counts as new once more. */
const MAX_NAMES = 10_000

/** @returns a function that tells whether a name is new. When there are too many, the older half is forgotten */
export function firstTimes(max = MAX_NAMES): (name: string) => boolean {
  let young = new Set<string>()
  let old = young
  return (name) => {
    if (young.has(name) || old.has(name)) return false
    if (young.size >= max / 2) [old, young] = [young, new Set()]
    young.add(name)
    return true
  }
}
