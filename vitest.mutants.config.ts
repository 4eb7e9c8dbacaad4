import { defineConfig } from 'vitest/config'

/**
 * The tests against mutants of core: its own, without tests of its README and recorded answers. A test that fails at every
 * change proves no rule, and the memory of instrumented code means nothing.
 */
export default defineConfig({
  test: {
    include: ['packages/core/{src,test}/**/*.test.ts'],
    exclude: ['packages/core/test/{allocations,readme,recorded-answers/*}.test.ts'],
    // Otherwise each of the hundred files imports core anew, for every mutant.
    isolate: false,
    testTimeout: 60_000,
  },
})
