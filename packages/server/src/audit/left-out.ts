import { type Happened, reasonOf } from './entry.ts'

/** Counts the entries that get no row, by user and client. */
export interface LeftOut {
  /** @param group its first `MAX_NAMED` users and clients are named */
  add(happened: Happened, group: string): void
  /** One row for each user and client since the last call. */
  take(): Happened[]
}

/** A caller may send any number of names; names beyond this limit get no row of their own. */
const MAX_NAMED = 20

interface Row extends Happened {
  count: number
  readonly reasons: Record<string, number>
}

export function leftOut(): LeftOut {
  let rows = new Map<string, Row>()
  let names = new Map<string, Set<string>>()

  /** Whether the group has this name, or has space for it. */
  function admitsName(group: string, name: string): boolean {
    const known = names.get(group) ?? new Set()
    if (known.size < MAX_NAMED) names.set(group, known.add(name))
    return known.has(name)
  }

  return {
    add(happened, group) {
      const { subject, clientId } = happened
      const name = JSON.stringify([subject, clientId])
      const named = admitsName(group, name)
      const whose = named ? { subject, clientId } : {}
      const row = rows.get(named ? name : '') ?? { type: 'left_out', ...whose, count: 0, reasons: {} }
      const reason = reasonOf(happened)
      row.count++
      row.reasons[reason] = (row.reasons[reason] ?? 0) + 1
      rows.set(named ? name : '', row)
    },
    take() {
      const taken = [...rows.values()]
      rows = new Map()
      names = new Map()
      return taken
    },
  }
}
