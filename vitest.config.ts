import { defineConfig } from 'vitest/config'

/** The service answers these without a framework, a port or a browser. */
const RECORDED = 'apps/*/test/recorded-answers/*.test.ts'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/*/{src,test}/**/*.test.ts',
            'apps/*/src/**/*.test.ts',
            RECORDED,
            'examples/*/*.test.ts',
            'docs/test/*.test.ts',
            'scripts/*.test.ts',
          ],
          maxWorkers: '100%',
          testTimeout: 20_000,
          sequence: { groupOrder: 1 },
        },
      },
      ...['fastify', 'express', 'hono'].map(flows),
      // The tarballs, installed somewhere else: they are built first, which nothing else may read meanwhile.
      {
        test: {
          name: 'packages',
          include: ['scripts/packages/*.test.ts'],
          testTimeout: 60_000,
          sequence: { groupOrder: 5 },
        },
      },
    ],
  },
})

/**
 * Real clients and a browser against the running service, on each framework. One file at a time, after the unit tests:
 * a browser that shares two cores with them is slow enough to run into its own timeouts.
 */
function flows(framework: string, index: number) {
  return {
    test: {
      name: `flows:${framework}`,
      env: { FRAMEWORK: framework },
      include: ['apps/*/test/**/*.test.ts'],
      // What goes on below the service is the same on each, and what compares them runs all of them.
      exclude: [RECORDED, ...(index === 0 ? [] : ['**/faults.test.ts', '**/identical.test.ts'])],
      testTimeout: 60_000,
      hookTimeout: 60_000,
      fileParallelism: false,
      sequence: { groupOrder: 2 + index },
    },
  }
}
