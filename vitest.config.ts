import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** The pull request waits for them: each test of the folder in which Vitest starts, but those of `vitest.night.config.ts`. */
export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      // What an earlier run wrote, such as the programs of the guides: the run at work writes them anew.
      '**/.*/**',
      '**/*.night.test.ts',
      // An operator runs it against an engine of their own.
      '**/scripts/engine.test.ts',
    ],
    // To import a framework and its validators anew for every file takes longer than the tests.
    isolate: false,
    setupFiles: [path('scripts/native-classes.ts'), path('scripts/tests/no-programs.ts')],
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Vitest waits a second. It is for code that waits for a file or a socket, and a busy machine needs longer.
    expect: { poll: { timeout: 20_000 } },
    // What a test prints is shown if it fails.
    silent: 'passed-only',
    reporters: process.env.TURBO_HASH === undefined ? ['default'] : [path('scripts/tests/line-reporter.ts')],
  },
})
