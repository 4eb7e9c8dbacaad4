import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Takes minutes: many races, servers that fail over, tarballs. */
const LONG = '**/*.long.test.ts'

/**
 * They start servers, processes and compilers, or measure, or try thousands of cases: two thirds of the time of all tests
 * that need no service. `pnpm check` leaves them out.
 */
const WITH_PARTS = [
  'packages/{limiter,store-{redis,postgres,sqlite,mysql,dynamodb}}/test/*.test.ts',
  // The contracts of stores and adapters.
  'packages/store-memory/src/memory-store.test.ts',
  'packages/adapter-*/src/index.test.ts',
  'packages/{create-grantkit,testkit,torture}/test/*.test.ts',
  'packages/server/test/{admin-api,grantkit}.test.ts',
  'packages/{adapter-hono,doctor,safe-fetch}/**/{runtimes,bundle,bin,safe-fetch,worker}.test.ts',
  'packages/core/**/{allocations,consent-ticket,fuzzed-documents,grant-search,imports}.test.ts',
  '{apps/reference,packages/server}/src/**/{listening,login,passwords,slow-requests}.test.ts',
  'docs/test/{code-blocks,how-to,lambda,mcp-*,migrate,model-service,model-stores,quick-start,run-a-server,start,workers}.test.ts',
  'examples/*/*.test.ts',
  'scripts/{audit,test-files}.test.ts',
  'scripts/packages/verify.test.ts',
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
  'step-up',
  'known-client-redirects',
  'personal-tokens-page',
  'ways-to-sign-in',
].map(flow)

/** Of the server, without an application. Its rules have their tests beside their files. */
const FLOWS_OF_THE_SERVER = 'packages/server/test/**/*.test.ts'

/** The same for pages without a service. */
const PAGES_IN_A_BROWSER = 'packages/*/test/in-a-browser.test.ts'

/** Programs of the guides, with a user in a browser. */
const GUIDES = 'docs/test/{guides,inspector-page}.test.ts'

/**
 * Flows that depend on Postgres: its tables, and the races that Postgres decides. `describeStore` tests the store, and tests of
 * the tables run on SQLite and on Postgres.
 */
const ON_POSTGRES = [
  ...['device-commands', 'device-races', 'mcp', 'oauth4webapi', 'passkey-sign-in', 'replicas'],
  ...['back-channel-logout', 'sign-out', 'upstream-pages'],
  ...['code', 'refresh'].map((row) => `security/${row}`),
].map(flow)

/** Their runtime is workerd: configurations of their own name the projects `workers` and `long:workers`. */
const IN_WORKERD = 'packages/store-cloudflare/test/workerd/**'

/** They install the tarballs. */
const TARBALLS = 'scripts/packages/*.long.test.ts'

/** They put a load on several processes, and what they expect of a restart or of a revocation depends on the time it takes. */
const UNDER_LOAD = [
  ...['faults', 'one-postgres', 'refresh-after-outage', 'revocation-feed', 'rolling-upgrade'].map(
    (name) => `apps/reference/test/${name}.long.test.ts`,
  ),
  'packages/server/test/workers/killed-worker.long.test.ts',
]

/** For a busy machine. */
const PATIENCE = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 10_000 } } }

export default defineConfig({
  test: {
    projects: [
      parallel('unit', {
        include: [
          'packages/*/{src,test}/**/*.test.ts',
          'apps/*/src/**/*.test.ts',
          'docs/test/*.test.ts',
          'scripts/**/*.test.ts',
          'benchmarks/src/**/*.test.ts',
        ],
        exclude: [LONG, GUIDES, PAGES_IN_A_BROWSER, FLOWS_OF_THE_SERVER, IN_WORKERD, ...WITH_PARTS],
        testTimeout: 20_000,
        // They never wait: a worker beyond the number of cores only imports everything once more.
        maxWorkers: availableParallelism(),
        sequence: { groupOrder: 0 },
      }),
      parallel('parts', { include: WITH_PARTS, exclude: [LONG, '**/node_modules/**'] }),
      parallel('flows', {
        include: [flow('**/*'), FLOWS_OF_THE_SERVER],
        exclude: [LONG, ...IN_A_BROWSER, ...WITH_PARTS],
      }),
      // One of them mostly waits for its page.
      twoAtATime('browser', {
        include: [...IN_A_BROWSER, PAGES_IN_A_BROWSER, GUIDES],
        // It only ends what hangs.
        testTimeout: 240_000,
        sequence: { groupOrder: 2 },
      }),
      parallel('long:postgres', {
        env: { STORAGE: 'postgres' },
        include: ON_POSTGRES,
        sequence: { groupOrder: 3 },
      }),
      // They wait for servers and for other programs, in processes of their own.
      twoAtATime('long', {
        include: [LONG],
        exclude: ['**/node_modules/**', IN_WORKERD, TARBALLS, ...UNDER_LOAD],
        sequence: { groupOrder: 4 },
      }),
      twoAtATime('long:tarballs', {
        include: [TARBALLS],
        globalSetup: 'scripts/packages/packed-once.ts',
        sequence: { groupOrder: 4 },
      }),
      isolated('long:alone', {
        include: UNDER_LOAD,
        fileParallelism: false,
        sequence: { groupOrder: 5 },
      }),
      'packages/store-cloudflare/test/workerd/vitest{,.long}.config.ts',
    ],
  },
})

function flow(name: string): string {
  return `apps/*/test/${name}.test.ts`
}

/**
 * Files of one worker share what they import: to import a framework and its validators anew for every file takes longer
 * than the tests. So a file puts back what it changes of globals. Half of the time of a test with parts is waiting, for a disk
 * or for another program, so there are two workers for each core.
 */
function parallel(name: string, options: object) {
  const shared = {
    isolate: false,
    setupFiles: 'scripts/native-classes.ts',
    maxWorkers: 2 * availableParallelism(),
    globalSetup: 'apps/reference/test/postgres-for-tests.ts',
  }
  return { test: { name, ...PATIENCE, ...shared, sequence: { groupOrder: 1 }, ...options } }
}

function twoAtATime(name: string, options: object) {
  return isolated(name, { maxWorkers: 2, ...options })
}

/** Each file has a process of its own. */
function isolated(name: string, options: object) {
  return { test: { name, ...PATIENCE, ...options } }
}
