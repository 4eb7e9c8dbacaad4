import { type ListResourcesResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { cursorOf, type Place, placeOf } from '../school/cursor.ts'
import type { SchoolRecord } from '../school/record.ts'
import type { Page, Selection } from '../school/records.ts'

/** The items of one area that the caller may see. */
export interface ListedArea {
  readonly name: string
  list(selection: Pick<Selection, 'after' | 'limit'>): Promise<Page>
}

const PAGE = 100

/**
 * One page of the resources of all areas, in their order. The cursor names the area and the last item of it.
 *
 * @throws ProtocolError for an unknown cursor
 */
export async function pageOfResources(
  areas: readonly ListedArea[],
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  let { index, after } = startOf(areas, cursor)
  const resources: ListResourcesResult['resources'] = []
  for (; index < areas.length; index++) {
    const { name, list } = areas[index] as ListedArea
    if (resources.length === PAGE) return { resources, nextCursor: name }
    const { items, last } = await list({ after, limit: PAGE - resources.length })
    resources.push(...items.map((item) => resourceOf(name, item)))
    if (last !== undefined) return { resources, nextCursor: `${name}.${cursorOf(last)}` }
    after = undefined
  }
  return { resources }
}

function startOf(areas: readonly ListedArea[], cursor: string | undefined) {
  if (cursor === undefined) return { index: 0, after: undefined as Place | undefined }
  const [area, place] = cursor.split('.', 2)
  const index = areas.findIndex(({ name }) => name === area)
  const after = place === undefined ? undefined : placeOf(place)
  if (index < 0 || (place !== undefined && after === undefined))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The cursor is not one of this list')
  return { index, after }
}

function resourceOf(area: string, item: SchoolRecord): ListResourcesResult['resources'][number] {
  return {
    uri: `school://${area}/${item.id}`,
    name: item.id,
    title: String(item.title ?? item.name ?? item.id),
    mimeType: 'application/json',
  }
}
