interface Owned {
  readonly subject?: string | undefined
}

/** The grants of each subject. A subject without grants takes no memory. */
export class SubjectIndex {
  /** Most subjects have one grant: storing only its id saves the two hundred bytes of a Set. */
  readonly #idsBySubject = new Map<string, string | Set<string>>()

  /** A grant was added (no `before`), changed, or removed (no `after`). */
  follow(id: string, before?: Owned, after?: Owned): void {
    if (before?.subject === after?.subject) return
    if (before?.subject !== undefined) this.#delete(id, before.subject)
    if (after?.subject !== undefined) this.#add(id, after.subject)
  }

  #add(id: string, subject: string): void {
    const ids = this.#idsBySubject.get(subject)
    if (ids instanceof Set) ids.add(id)
    else this.#idsBySubject.set(subject, ids === undefined ? id : new Set([ids, id]))
  }

  #delete(id: string, subject: string): void {
    const ids = this.#idsBySubject.get(subject)
    if (ids instanceof Set && ids.size > 1) ids.delete(id)
    else this.#idsBySubject.delete(subject)
  }

  grantIds(subject: string): string[] {
    const ids = this.#idsBySubject.get(subject) ?? []
    return typeof ids === 'string' ? [ids] : [...ids]
  }
}
