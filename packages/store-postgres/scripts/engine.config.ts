/**
 * Tests the distributed dialect on an engine of your own, in tables with the prefix `trial_`, which stay:
 *
 *     DATABASE_URL=postgres://… ENGINE='CockroachDB 26.1' npx vitest run --config packages/store-postgres/scripts/engine.config.ts
 *
 * With `KILL_SECONDS=120` it writes for two minutes while you kill a node.
 */
export default {
  test: {
    root: import.meta.dirname,
    include: ['engine.test.ts'],
    reporters: ['dot'],
    // The suite makes a server refuse much, and the server says so.
    onConsoleLog: (_: string, type: 'stdout' | 'stderr') => type === 'stdout',
  },
}
