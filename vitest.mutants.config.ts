import { defineConfig } from 'vitest/config'

/**
 * The tests against mutants, which `pnpm mutants` names, without tests of a README and recorded answers. A test that fails at
 * every change proves no rule, the memory of instrumented code means nothing, and the search takes seconds for each mutant.
 */
export default defineConfig({
  test: {
    include: process.env.MUTANT_TESTS?.split(' ') ?? [],
    exclude: [
      'packages/core/test/{allocations,grant-search,imports,readme,recorded-answers/*}.test.ts',
      '**/{kill,processes,worker}.test.ts',
      '**/*.long.test.ts',
    ],
    // Otherwise each of the hundred files imports core anew, for every mutant.
    isolate: false,
    setupFiles: 'scripts/mutants/coverage-of-one-file.ts',
    testTimeout: 20_000,
  },
})
