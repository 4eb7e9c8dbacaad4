import { OAuthError, REFUSALS } from '@grantkit/core'

type Method = (...given: never[]) => Promise<unknown>

/** Wraps what reads and writes records: an error of any method becomes `temporarily_unavailable`, as in core. */
export function errorsAs503<Rows extends { readonly [name in keyof Rows]: Method }>(rows: Rows): Rows {
  const wrapped = Object.entries<Method>(rows).map(([name, method]) => [
    name,
    (...given: never[]) => method(...given).catch(unavailable),
  ])
  return Object.fromEntries(wrapped) as Rows
}

function unavailable(cause: unknown): never {
  throw new OAuthError(REFUSALS.store_unavailable, undefined, { cause })
}
