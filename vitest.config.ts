import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/*/{src,test}/**/*.test.ts',
            'apps/*/src/**/*.test.ts',
            'examples/*/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          maxWorkers: '100%',
          testTimeout: 20_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Real clients and a browser against the running service. One file at a time, after the unit tests:
        // a browser that shares two cores with them is slow enough to run into its own timeouts.
        test: {
          name: 'flows',
          include: ['apps/*/test/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
