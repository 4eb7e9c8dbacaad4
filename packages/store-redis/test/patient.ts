/** Options of a store: a busy machine is not the subject of the tests. */
export const PATIENT = { commandTimeout: 20_000 }

/** Epoch seconds. */
export function soon(): number {
  return Math.floor(Date.now() / 1000) + 600
}
