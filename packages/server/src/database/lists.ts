/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** The cursor of the next page. Absent on the last one. */
  readonly next?: string | undefined
}

/** Every item of all pages. @param page the one that begins at a cursor, or the first one */
export async function* everyItem<Item>(
  page: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  let cursor: string | undefined
  do {
    const { items, next } = await page(cursor)
    yield* items
    cursor = next
  } while (cursor !== undefined)
}
