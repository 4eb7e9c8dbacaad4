import { describe, expect, it } from 'vitest'
import { cursorOf } from '../school/cursor.ts'
import { type ListedArea, pageOfResources } from './resource-list.ts'

/** An area with a number of items, ordered by id. */
function area(name: string, count: number): ListedArea {
  const ids = Array.from({ length: count }, (_, n) => `i${String(n).padStart(3, '0')}`)
  return {
    name,
    async list({ after, limit = count }) {
      const rest = ids.filter((id) => after === undefined || id > after.id)
      const shown = rest.slice(0, limit)
      const place = { addedAt: '2027-01-01T00:00:00.000Z', id: shown.at(-1) ?? '' }
      const items = shown.map((id) => ({ id }))
      return { items, total: count, last: rest.length > limit ? place : undefined }
    },
  }
}

describe('the list of resources', () => {
  it.each<[string, number[], number[]]>([
    ['one page', [3, 0, 4], [7]],
    ['a page that ends with an area', [100, 1], [100, 1]],
    ['a page that ends within an area', [50, 120, 3], [100, 73]],
    ['several pages of one area', [250], [100, 100, 50]],
    ['nothing', [0], [0]],
  ])('has every item once: %s', async (_, counts, pages) => {
    const areas = counts.map((count, n) => area(`area${n}`, count))
    const seen: string[][] = []
    let cursor: string | undefined
    do {
      const { resources, nextCursor } = await pageOfResources(areas, cursor)
      seen.push(resources.map(({ uri }) => uri))
      cursor = nextCursor
    } while (cursor !== undefined)
    expect(seen.map(({ length }) => length)).toEqual(pages)
    expect(new Set(seen.flat()).size).toBe(counts.reduce((sum, count) => sum + count, 0))
  })

  it.each(['nowhere', 'courses.x', '', `other.${cursorOf({ addedAt: '2027-01-01T00:00:00Z', id: 'i1' })}`])(
    'refuses the cursor %j, which is not one of its own',
    async (cursor) => {
      await expect(pageOfResources([area('courses', 1)], cursor)).rejects.toMatchObject({ code: -32602 })
    },
  )
})
