import { History } from './history.ts'

/** Events that must never happen; each is a fault of the service. */
const FAULTS = [
  'errors that are not 503',
  'schools that differ',
  'lost updates',
  'values that are not unique',
] as const
type Fault = (typeof FAULTS)[number]

/** Events that an outage may cause. */
type Setback = '503' | 'no answer'

/** Counts the events under load, and the duration of answers. What concerns grants is in the history. */
export class Tally {
  readonly history = new History()
  /** How often a record of the school was read at one more replica. */
  compared = 0
  private readonly faults = new Map<Fault, string[]>()
  private readonly setbacks = new Map<Setback, number>()
  private readonly times = new Map<string, number[]>()

  /** @param what the details, for the developer who looks for the cause */
  fault(fault: Fault, what: string): void {
    this.faults.set(fault, [...(this.faults.get(fault) ?? []), what])
  }

  setback(setback: Setback): void {
    this.setbacks.set(setback, (this.setbacks.get(setback) ?? 0) + 1)
  }

  /** @param milliseconds the duration of one request */
  took(request: string, milliseconds: number): void {
    const times = this.times.get(request) ?? []
    times.push(milliseconds)
    this.times.set(request, times)
  }

  get requests(): number {
    return [...this.times.values()].reduce((sum, times) => sum + times.length, 0)
  }

  /** The number of requests to one path. */
  requestsTo(path: string): number {
    return this.times.get(path)?.length ?? 0
  }

  /** All faults with their details; empty if there was none. */
  allFaults(): string[] {
    const counted = [...this.faults].flatMap(([fault, cases]) => cases.map((what) => `${fault}: ${what}`))
    return [...counted, ...this.history.findings()]
  }

  setbacksOf(setback: Setback): number {
    return this.setbacks.get(setback) ?? 0
  }

  /** A table for people. */
  report(): string {
    const rows = [
      ...FAULTS.map((fault): [string, number] => [fault, this.faults.get(fault)?.length ?? 0]),
      ...this.setbacks,
      ['records compared', this.compared] as [string, number],
      ['requests', this.requests] as [string, number],
    ]
    const times = [...this.times].map(([request, milliseconds]): [string, string] => {
      const sorted = milliseconds.toSorted((one, other) => one - other)
      const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1)
      return [request, `${sorted.length} requests, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`]
    })
    return [...rows, ...times].map(([name, value]) => `${name.padEnd(30)} ${value}`).join('\n')
  }
}
