/** What waits for its end. The queue writes `due` and `position`; nobody else does. */
export interface Expiring {
  expiresAt: number
  /** When the queue looks at it: its end, or an earlier one that has been put off since. */
  due: number
  position: number
}

/**
 * Which of many records to look at next: a binary heap whose members know where they stand, so that one can leave
 * from the middle. A member whose end is put off stays where it is until its turn comes, and only then finds its new
 * place: an end that moves with every use costs nothing.
 */
export class ExpiryQueue<T extends Expiring> {
  readonly #members: T[] = []

  /** The member that is due before all others. */
  first(): T | undefined {
    return this.#members[0]
  }

  add(member: T): void {
    member.due = member.expiresAt
    this.#rise(member, this.#members.length)
  }

  /** Takes out a member, which must be one. */
  delete(member: T): void {
    const last = this.#members.pop()
    if (last === undefined || last === member) return
    this.#rise(last, member.position)
    this.#sink(last, last.position)
  }

  /** The end of a member has changed. */
  moved(member: T): void {
    if (member.expiresAt >= member.due) return
    member.due = member.expiresAt
    this.#rise(member, member.position)
  }

  /** Gives a member that is due, and whose end was put off, its new place. */
  defer(member: T): void {
    member.due = member.expiresAt
    this.#sink(member, member.position)
  }

  #rise(member: T, from: number): void {
    let position = from
    while (position > 0) {
      const above = (position - 1) >> 1
      const parent = this.#members[above]
      if (parent === undefined || parent.due <= member.due) break
      this.#place(parent, position)
      position = above
    }
    this.#place(member, position)
  }

  #sink(member: T, from: number): void {
    let position = from
    for (;;) {
      const child = this.#earlierChild(position)
      if (child === undefined || child.due >= member.due) break
      const below = child.position
      this.#place(child, position)
      position = below
    }
    this.#place(member, position)
  }

  #earlierChild(position: number): T | undefined {
    const left = this.#members[2 * position + 1]
    const right = this.#members[2 * position + 2]
    return left !== undefined && right !== undefined && right.due < left.due ? right : left
  }

  #place(member: T, position: number): void {
    this.#members[position] = member
    member.position = position
  }
}
