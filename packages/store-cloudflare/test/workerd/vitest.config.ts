import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineProject } from 'vitest/config'

/** Tests that run inside workerd, with objects and a database of their own. */
export default defineProject({
  root: import.meta.dirname,
  plugins: [
    cloudflareTest({
      main: './worker.ts',
      miniflare: {
        compatibilityDate: '2026-04-01',
        compatibilityFlags: ['nodejs_compat'],
        durableObjects: { RECORDS: { className: 'GrantkitRecords', useSQLite: true } },
        d1Databases: ['DB', 'EMPTY'],
      },
    }),
  ],
  test: {
    name: 'workerd',
    include: ['**/*.night.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
