import { defineConfig } from 'vitest/config'

/** What mutants of core have to face: its own tests, without those that hold its README to the letter. */
export default defineConfig({
  test: {
    include: ['packages/core/{src,test}/**/*.test.ts'],
    exclude: ['packages/core/test/readme.test.ts'],
    testTimeout: 20_000,
  },
})
