import { expect, it } from 'vitest'
import { fencedBlocks } from './code-blocks.ts'

/** To the next scope, or the end of the object. */
const SCOPE = /'[a-z]+:(?:read|write|use)': \{\s*description[\s\S]*?(?=\n {0,3}\}|'[a-z]+:)/g

it('each program says of its scopes whether an app only reads with them', () => {
  const programs = fencedBlocks().filter(({ language }) => ['ts', 'diff'].includes(language))
  const scopes = programs.flatMap(({ page, code }) =>
    (code.match(SCOPE) ?? []).map((scope) => ({ page, scope })),
  )
  expect(scopes.length).toBeGreaterThan(20)
  expect(scopes.filter(({ scope }) => !scope.includes('access:'))).toEqual([])
})
