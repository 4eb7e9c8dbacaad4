/** Options of a store: a busy machine is not the subject of the tests. */
export const PATIENT = { commandTimeout: 20_000 }
