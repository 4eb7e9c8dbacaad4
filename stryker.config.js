/** Mutants of the modules of core with rules and endpoints; a test of core must kill each: `pnpm mutants`. */
export default {
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutants.config.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner'],
  mutate: [
    'packages/core/src/{limits,clients,grants,resource,openid,authorization,discovery,device}/**/*.ts',
    'packages/core/src/kernel/{scope,resource-indicator}.ts',
    '!packages/core/src/**/*.test.ts',
  ],
  // Without tsconfig.json: to adapt it Stryker wants an interface that the compiler no longer has.
  ignorePatterns: [
    '/tsconfig.json',
    '/apps',
    '/benchmarks',
    '/docs',
    '/examples',
    '/packages/{adapter,store}-*',
    '/packages/{doctor,testkit,test-servers}',
  ],
  coverageAnalysis: 'perTest',
  // A mutant of a constant would run every test: one mutant in eight, and most of the time.
  ignoreStatic: true,
  concurrency: 2,
  // A slow machine must not look like a mutant that never ends.
  timeoutMS: 30_000,
  incremental: true,
  incrementalFile: '.grantkit/mutants.json',
  reporters: ['clear-text', 'progress-append-only', 'json'],
  jsonReporter: { fileName: '.grantkit/mutants-report.json' },
  clearTextReporter: { logTests: false, reportTests: false },
  thresholds: { high: 95, low: 90, break: 87 },
  tempDirName: '.stryker',
}
