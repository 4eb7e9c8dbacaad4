/** What waits for its end. The queue writes `position`; nobody else does. */
export interface Expiring {
  readonly expiresAt: number
  position: number
}

/**
 * Which of many records expires next: a binary heap whose members know where they stand, so that one can leave
 * from the middle. One pointer a member, no timers, and no member is looked at before its turn.
 */
export class ExpiryQueue<T extends Expiring> {
  readonly #members: T[] = []

  /** The member that expires before all others. */
  first(): T | undefined {
    return this.#members[0]
  }

  add(member: T): void {
    this.#rise(member, this.#members.length)
  }

  /** Takes out a member, which must be one. */
  delete(member: T): void {
    const last = this.#members.pop()
    if (last === undefined || last === member) return
    this.#rise(last, member.position)
    this.#sink(last, last.position)
  }

  #rise(member: T, from: number): void {
    let position = from
    while (position > 0) {
      const above = (position - 1) >> 1
      const parent = this.#members[above]
      if (parent === undefined || parent.expiresAt <= member.expiresAt) break
      this.#place(parent, position)
      position = above
    }
    this.#place(member, position)
  }

  #sink(member: T, from: number): void {
    let position = from
    for (;;) {
      const child = this.#earlierChild(position)
      if (child === undefined || child.expiresAt >= member.expiresAt) break
      const below = child.position
      this.#place(child, position)
      position = below
    }
    this.#place(member, position)
  }

  #earlierChild(position: number): T | undefined {
    const left = this.#members[2 * position + 1]
    const right = this.#members[2 * position + 2]
    return left !== undefined && right !== undefined && right.expiresAt < left.expiresAt ? right : left
  }

  #place(member: T, position: number): void {
    this.#members[position] = member
    member.position = position
  }
}
