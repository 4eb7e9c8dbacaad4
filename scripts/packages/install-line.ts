import { neededBy, type Packed } from './publishable.ts'

/** The command that installs `words` of an `npm install`, where no registry has the packages that are packed. */
export function installLine(packed: readonly Packed[], words: readonly string[]): string {
  const named = (word: string) => packed.find(({ manifest }) => manifest.name === word)
  const files = words.flatMap((word) => withNeeds(word).map((name) => named(name)?.tarball ?? name))
  return `npm install ${[...new Set(files)].join(' ')}`

  /** npm would look for them in the registry. */
  function withNeeds(word: string): string[] {
    const needs = neededBy(named(word)?.manifest ?? {}).filter((name) => named(name))
    return [word, ...needs.flatMap(withNeeds)]
  }
}
