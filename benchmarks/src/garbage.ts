/**
 * Collects the garbage that the preparation of a round left. Only the young generation: a forced full collection also
 * discards optimized code, and the round would then measure the compiler.
 */
export function collectYoung(): void {
  globalThis.gc?.({ type: 'minor' })
}
