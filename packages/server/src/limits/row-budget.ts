/** How many rows each group of callers may still cause. */
export interface RowBudget {
  /** Whether the group has a row left, and takes it. */
  take(group: string, most: number): boolean
  /** Begins anew. */
  reset(): void
}

export function rowBudget(): RowBudget {
  let rows = new Map<string, number>()
  return {
    take(group, most) {
      const taken = rows.get(group) ?? 0
      if (taken < most) rows.set(group, taken + 1)
      return taken < most
    },
    reset() {
      rows = new Map()
    },
  }
}
