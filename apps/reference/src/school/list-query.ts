import * as z from 'zod'
import { type Place, placeOf } from './cursor.ts'

/** The query of a list request. */
export interface ListQuery {
  readonly limit: number
  readonly offset: number
  readonly after: Place | undefined
  readonly published: boolean | undefined
}

/** The faults of a query as text. */
export const BAD_LIST_QUERY =
  'limit must be 1 to 100, offset 0 to 1000000, cursor the next_cursor of an answer, published true or false, and each of them once at most'

const Query = z.object({
  limit: oneNumber(1, 100, 50),
  offset: oneNumber(0, 1_000_000, 0),
  published: z
    .array(z.enum(['true', 'false']))
    .max(1)
    .transform(([word]) => (word === undefined ? undefined : word === 'true')),
  cursor: z.array(z.string()).max(1),
})

/** @param query the values of each parameter */
export function readListQuery(query: Readonly<Record<string, string[]>>): ListQuery | { fault: string } {
  const values = Object.keys(Query.shape).map((name) => [name, query[name] ?? []])
  const parsed = Query.safeParse(Object.fromEntries(values))
  if (!parsed.success) return { fault: BAD_LIST_QUERY }
  const { cursor, ...rest } = parsed.data
  const [given] = cursor
  const after = given === undefined ? undefined : placeOf(given)
  return given !== undefined && after === undefined ? { fault: BAD_LIST_QUERY } : { ...rest, after }
}

/** The value of a query parameter: one integer, or none. */
function oneNumber(least: number, most: number, usual: number) {
  return z
    .array(z.string().regex(/^\d+$/))
    .max(1)
    .transform(([digits = usual]) => Number(digits))
    .pipe(z.number().min(least).max(most))
}
