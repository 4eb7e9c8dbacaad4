/** For `pnpm --dir proof mutants <module>`, which names the source and its tests. */
export default {
  testRunner: 'vitest',
  vitest: { configFile: 'proof/mutants/vitest.config.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner'],
  // Without tsconfig.json: to adapt it Stryker wants an interface that the compiler no longer has.
  ignorePatterns: [
    '/tsconfig.json',
    '/apps',
    '/docs/test',
    '/examples',
    '/proof/{benchmarks,conformance,fuzz,load,simulation,torture}',
    '/site',
    '/packages/{adapter-*,create-grantkit,doctor,pages,server}',
  ],
  coverageAnalysis: 'perTest',
  // A mutant of a constant would run every test: one mutant in eight, and most of the time.
  ignoreStatic: true,
  concurrency: 2,
  // A slow machine must not look like a mutant that never ends.
  timeoutMS: 30_000,
  dryRunTimeoutMinutes: 20,
  incremental: true,
  reporters: ['clear-text', 'progress-append-only', 'json'],
  jsonReporter: { fileName: process.env.MUTANT_REPORT },
  clearTextReporter: { logTests: false, reportTests: false },
  tempDirName: '.stryker',
}
