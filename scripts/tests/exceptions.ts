/** Tests of the gate that start a program or wait for a time, at most five. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'apps/reference/test/start.test.ts': 'the reference service starts, and ends by a signal',
  'packages/adapter-hono/test/bundle.test.ts':
    'the size of a bundle is what a bundler makes, and esbuild comes from npm',
  'packages/server/test/grantkit.test.ts': 'grantkit starts in an empty folder',
  'packages/testkit/src/clock.test.ts': 'a test that runs out of time must have a time',
}
