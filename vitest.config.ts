import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Takes minutes by its nature: many races, servers that fail over, tarballs. */
const LONG = '**/*.long.test.ts'

/**
 * They start servers, processes and compilers, or measure, or try thousands of cases: two thirds of the time of all tests
 * that need no service. `pnpm check` leaves them out.
 */
const WITH_PARTS = [
  'packages/store-{redis,postgres,sqlite}/test/*.test.ts',
  'packages/testkit/test/*.test.ts',
  'packages/{adapter-hono,doctor,safe-fetch}/**/{runtimes,bin,safe-fetch}.test.ts',
  'packages/core/**/{allocations,grant.model,imports}.test.ts',
  'apps/reference/src/**/{listening,login,passwords,slow-requests}.test.ts',
  'docs/test/{code-blocks,how-to,mcp-*,quick-start,start}.test.ts',
  'examples/*/*.test.ts',
  'scripts/audit.test.ts',
]

/** A browser that shares two cores with other tests is slow enough to run into its own timeouts. */
const IN_A_BROWSER = [
  'account',
  'admin-pages',
  'browser',
  'client-logout',
  'consent-page',
  'device-page',
  'documents',
  'oidc-client-ts',
  'pasted-callback',
  'ways-to-sign-in',
].map(flow)

/** Programs of the guides, with a user in a browser. */
const GUIDES = 'docs/test/{guides,inspector-page}.test.ts'

const STORAGE_SERVER = 'apps/reference/test/postgres-for-tests.ts'

const WHATEVER_THE_STORAGE = [
  // They choose their storage themselves.
  ...['accounts', 'command-beside-the-unit', 'nothing-but-memory', 'outage', 'restart', 'school-rows'],
  // What they test lies in front of any storage.
  ...['balancer', 'metrics', 'pgbouncer', 'security/identical'],
  // Makes a program out of the description, and for longer than a connection to Redis may stand still.
  'openapi',
].map(flow)

/** For a machine that has other things to do. */
const PATIENCE = { testTimeout: 60_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    projects: [
      parallel('unit', {
        include: [
          'packages/*/{src,test}/**/*.test.ts',
          'apps/*/src/**/*.test.ts',
          'docs/test/*.test.ts',
          'scripts/*.test.ts',
          'benchmarks/src/*.test.ts',
        ],
        exclude: [LONG, GUIDES, ...WITH_PARTS],
        testTimeout: 20_000,
      }),
      parallel('parts', { include: WITH_PARTS, exclude: [LONG, '**/node_modules/**'] }),
      parallel('flows', { include: [flow('**/*')], exclude: [LONG, ...IN_A_BROWSER] }),
      // Two at a time: one of them mostly waits for its page. CI has the whole browser in the long rows.
      oneByOne('browser', {
        env: { HEADLESS_SHELL: '1' },
        include: [...IN_A_BROWSER, GUIDES],
        fileParallelism: true,
        maxWorkers: 2,
        sequence: { groupOrder: 2 },
      }),
      ...['postgres', 'redis'].flatMap(onStorage),
      oneByOne('long', { include: [LONG], exclude: ['**/node_modules/**'], sequence: { groupOrder: 4 } }),
    ],
  },
})

function flow(name: string): string {
  return `apps/*/test/${name}.test.ts`
}

/** The service keeps its records where STORAGE says, which is in files of SQLite where nothing does. */
function onStorage(storage: string) {
  const env = { STORAGE: storage }
  const exclude = [LONG, ...IN_A_BROWSER, ...WHATEVER_THE_STORAGE]
  return [
    parallel(`long:${storage}`, {
      env,
      include: [flow('**/*')],
      exclude,
      sequence: { groupOrder: 3 },
    }),
    oneByOne(`long:browser:${storage}`, { env, include: IN_A_BROWSER, sequence: { groupOrder: 4 } }),
  ]
}

/**
 * Files of one worker share what they import: to import a framework and its validators anew for every file takes longer
 * than the tests. So a file puts back what it changes of globals. Half of the time of a test is waiting, for a disk or for
 * another program, so there are two workers for each core.
 */
function parallel(name: string, options: object) {
  const shared = {
    isolate: false,
    setupFiles: 'scripts/native-classes.ts',
    maxWorkers: 2 * availableParallelism(),
    globalSetup: STORAGE_SERVER,
  }
  return { test: { name, ...PATIENCE, ...shared, sequence: { groupOrder: 1 }, ...options } }
}

/**
 * A browser needs the machine for itself, and what is built for the tarballs nothing else may read meanwhile. Chromium
 * stands still now and then, in one of some hundred tests, so a test in a browser has two more tries.
 */
function oneByOne(name: string, options: object) {
  const retry = name.includes('browser') ? 2 : 0
  return {
    test: { name, ...PATIENCE, retry, fileParallelism: false, globalSetup: STORAGE_SERVER, ...options },
  }
}
