import { z } from '@hono/zod-openapi'

/** Shared by all lists of the admin API: pages with opaque cursors. */

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

const NO_CURSOR = 'must be the next_cursor of a page'

/** The query of every list. */
export const PageQuery = {
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
  cursor: z
    .string()
    .max(1000)
    .regex(/^[\w-]+$/, NO_CURSOR)
    .transform((cursor) => Buffer.from(cursor, 'base64url').toString())
    .refine((place) => !place.includes('\0'), NO_CURSOR)
    .optional()
    .openapi({ description: 'The next_cursor of the previous page' }),
}

/** @param name of the schema in the document */
export function pageOf<Item extends z.ZodType>(name: string, item: Item) {
  const next_cursor = z.string().optional().openapi({ description: 'Absent on the last page' })
  return z.object({ items: z.array(item), next_cursor }).openapi(name)
}

/** @param next where the next page begins; absent on the last one */
export function page<Item>(items: readonly Item[], next: string | undefined) {
  const next_cursor = next && Buffer.from(next).toString('base64url')
  return { items: [...items], ...(next_cursor && { next_cursor }) }
}

/** Postgres accepts no NUL in a text. */
export const text = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^[^\0]*$/, 'must not have a NUL')

/** ISO 8601, in UTC. @param seconds since the epoch */
export function moment(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
