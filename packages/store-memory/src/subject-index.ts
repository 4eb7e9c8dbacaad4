/** Which grants a subject has. A subject without any takes no room. */
export class SubjectIndex {
  /** Most subjects have one grant: its id alone saves the two hundred bytes of a Set. */
  readonly #idsBySubject = new Map<string, string | Set<string>>()

  add(id: string, subject: string): void {
    const ids = this.#idsBySubject.get(subject)
    if (ids === undefined) this.#idsBySubject.set(subject, id)
    else if (typeof ids !== 'string') ids.add(id)
    else if (ids !== id) this.#idsBySubject.set(subject, new Set([ids, id]))
  }

  delete(id: string, subject: string): void {
    const ids = this.#idsBySubject.get(subject)
    if (ids === undefined) return
    if (typeof ids !== 'string') ids.delete(id)
    if (ids === id || (typeof ids !== 'string' && ids.size === 0)) this.#idsBySubject.delete(subject)
  }

  grantIds(subject: string): string[] {
    const ids = this.#idsBySubject.get(subject)
    if (ids === undefined) return []
    return typeof ids === 'string' ? [ids] : [...ids]
  }
}
