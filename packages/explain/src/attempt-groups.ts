import type { RecordedSteps } from './recorded-steps.ts'

/** Attempts by a name that they share; those without one are no group. */
export function attemptGroups() {
  const groups = new Map<string, Set<RecordedSteps>>()
  const oldestOf = ([oldest]: Iterable<RecordedSteps>) => oldest
  return {
    /** @returns the oldest attempt of a group that has too many */
    add(name: string, attempt: RecordedSteps, max: number): RecordedSteps | undefined {
      const group = groups.get(name)?.add(attempt) ?? new Set([attempt])
      groups.set(name, group)
      return name !== '' && group.size > max ? oldestOf(group) : undefined
    },
    remove(name: string, attempt: RecordedSteps): void {
      const group = groups.get(name)
      group?.delete(attempt)
      if (group?.size === 0) groups.delete(name)
    },
    oldestOfFullest(): RecordedSteps | undefined {
      let fullest = new Set<RecordedSteps>()
      for (const group of groups.values()) if (group.size > fullest.size) fullest = group
      return oldestOf(fullest)
    },
  }
}
