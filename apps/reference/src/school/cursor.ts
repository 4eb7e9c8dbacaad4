import { parseJson } from '@grantkit/server/routes'
import * as z from 'zod'
import { reference } from './members.ts'

/** The position of a record in its list. Lists are ordered by the time of adding. */
export interface Place {
  readonly addedAt: string
  readonly id: string
}

const Cursor = z.tuple([z.iso.datetime(), reference])

/** Opaque to clients, which receive it as `next_cursor` and return it as `cursor`. */
export function cursorOf({ addedAt, id }: Place): string {
  return Buffer.from(JSON.stringify([addedAt, id])).toString('base64url')
}

export function placeOf(cursor: string): Place | undefined {
  const parsed = Cursor.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()))
  return parsed.success ? { addedAt: parsed.data[0], id: parsed.data[1] } : undefined
}
