import { expect, test } from 'vitest'
import type { Start } from './measure.ts'
import { report } from './report.ts'

const answer = (milliseconds: number) => ({ milliseconds, memory: 100e6 })
const MEASURED: Start = {
  imports: [
    { entry: '@grantkit/core/guard', times: [40, 50, 60], size: { minified: 120_400, gzip: 40_000 } },
  ],
  services: { '`grantkit start`, SQLite': [answer(900), answer(1000), answer(1100)] },
  grants: { count: 20_000, bytes: 1100.4 },
  installed: { all: 80e6, used: 30e6 },
}

test('times are medians with their spread, sizes are round', () => {
  const text = report(MEASURED, { machine: 'A machine.', command: 'pnpm --dir proof bench:start' })
  expect(text).toContain('to the first answer, of 3 processes')
  expect(text).toContain('| `grantkit start`, SQLite | 1000 ± 100 ms | 100 MB |')
  expect(text).toContain('| `@grantkit/core/guard` | 50 ± 10 ms | 120 kB | 40 kB |')
  expect(text).toContain('| a grant with its tokens in the memory store, of 20,000 | 1,100 bytes |')
})
