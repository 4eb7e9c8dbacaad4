export interface RecentlyUsed<Value> {
  get(name: string): Value | undefined
  set(name: string, value: Value): void
}

/**
 * Values by name, and no more than a maximum. Once half of it is full, the values that were not used since the other half was
 * full are dropped.
 *
 * @param max even
 */
export function recentlyUsed<Value>(max: number): RecentlyUsed<Value> {
  let recent = new Map<string, Value>()
  let older = new Map<string, Value>()

  function set(name: string, value: Value): void {
    if (recent.size >= max / 2) {
      older = recent
      recent = new Map()
    }
    recent.set(name, value)
  }

  return {
    get(name) {
      const found = recent.get(name)
      if (found !== undefined) return found
      const kept = older.get(name)
      if (kept !== undefined) set(name, kept)
      return kept
    },
    set,
  }
}
