/**
 * Rids this process of what the preparation of a round left behind. Of the young generation only: a full collection
 * on demand throws optimized code away as well, and a round would measure the compiler.
 */
export function collectYoung(): void {
  globalThis.gc?.({ type: 'minor' })
}
