/**
 * Writes what comes during a write together in the next one: requests of one process never compete for a record, however many
 * there are.
 */
export function gathered<Item, Result>(
  write: (items: readonly Item[]) => Promise<Result>,
): (items: readonly Item[]) => Promise<Result> {
  let next: { readonly items: Item[]; readonly written: Promise<Result> } | undefined
  let last: Promise<unknown> = Promise.resolve()
  function begin() {
    const items: Item[] = []
    const written = last.then(() => {
      next = undefined
      return write(items)
    })
    last = written.catch(() => {})
    return { items, written }
  }
  return (items) => {
    next ??= begin()
    next.items.push(...items)
    return next.written
  }
}
