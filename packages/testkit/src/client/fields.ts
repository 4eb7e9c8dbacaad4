/** Parameters by name. `undefined` removes a default parameter. */
export type Overrides = Readonly<Record<string, string | undefined>>

/** Fields of a form or query. A list can name a field twice. */
export type Fields = Overrides | readonly (readonly [name: string, value: string])[]

/**
 * As `application/x-www-form-urlencoded` text.
 *
 * @example
 * ```ts
 * import { formEncoded } from '@grantkit/testkit/client'
 *
 * formEncoded({ grant_type: 'refresh_token', scope: undefined }) // 'grant_type=refresh_token'
 * ```
 */
export function formEncoded(fields: Fields): string {
  const pairs = Array.isArray(fields) ? fields : Object.entries(fields)
  return String(new URLSearchParams(pairs.filter(([, value]) => value !== undefined)))
}

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
