import { defineConfig } from 'vitest/config'

/**
 * What mutants of core have to face: its own tests, without those that hold its README or its answers to the letter. What
 * notices every change says of no rule that it is tested, and the memory of instrumented code says nothing at all.
 */
export default defineConfig({
  test: {
    include: ['packages/core/{src,test}/**/*.test.ts'],
    exclude: ['packages/core/test/{allocations,readme,recorded-answers/*}.test.ts'],
    testTimeout: 20_000,
  },
})
