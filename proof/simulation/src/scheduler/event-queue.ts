export interface QueuedEvent {
  /** Milliseconds of virtual time. */
  readonly at: number
  /** The order of events at one time. */
  readonly place: number
  /** Absent: cancelled. */
  work: (() => void) | undefined
}

/** Events by their time, and at one time by the order in which they were added: a binary heap. */
export class EventQueue {
  readonly #heap: QueuedEvent[] = []
  #count = 0

  add(at: number, work: () => void): QueuedEvent {
    const event = { at, place: this.#count++, work }
    const heap = this.#heap
    let slot = heap.push(event) - 1
    while (slot > 0) {
      const parent = (slot - 1) >> 1
      if (isBefore(heap[parent] as QueuedEvent, event)) break
      heap[slot] = heap[parent] as QueuedEvent
      slot = parent
    }
    heap[slot] = event
    return event
  }

  takeFirst(): QueuedEvent | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return first
    this.#sink(last)
    return first
  }

  #sink(event: QueuedEvent): void {
    const heap = this.#heap
    let slot = 0
    for (let child = 1; child < heap.length; child = 2 * slot + 1) {
      const right = heap[child + 1]
      if (right !== undefined && isBefore(right, heap[child] as QueuedEvent)) child++
      if (isBefore(event, heap[child] as QueuedEvent)) break
      heap[slot] = heap[child] as QueuedEvent
      slot = child
    }
    heap[slot] = event
  }
}

function isBefore(one: QueuedEvent, other: QueuedEvent): boolean {
  return one.at === other.at ? one.place < other.place : one.at < other.at
}
