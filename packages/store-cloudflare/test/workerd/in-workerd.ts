import { cloudflareTest } from '@cloudflare/vitest-plugin'
import type { UserProjectConfigExport } from 'vitest/config'

/** Tests that run inside workerd, with objects and a database of their own. */
export function inWorkerd(name: string, include: string, exclude: string[] = []): UserProjectConfigExport {
  return {
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
      name,
      include: [include],
      exclude,
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  }
}
