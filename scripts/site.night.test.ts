import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { pageFiles, pagePath } from '../site/.vitepress/pages.ts'

const ROOT = join(import.meta.dirname, '..')
const BUILT = join(ROOT, 'site/.vitepress/dist')
const isBuilt = (path: string) => existsSync(join(BUILT, path))

/** `pnpm site` also ends with an error for a dead link, for TSDoc that cannot be read, and for a search that does not find what it should. */
it('`pnpm site` builds each page with its Markdown, and a list of them for programs', async () => {
  await promisify(execFile)('npx', ['-y', 'pnpm@12', 'site'], { cwd: ROOT, maxBuffer: 1e8 })
  const pages = pageFiles().map(pagePath)
  expect(pages.filter((page) => !isBuilt(page) || !isBuilt(page.replace(/\.md$/, '.html')))).toEqual([])
  const listed = [...readFileSync(join(BUILT, 'llms.txt'), 'utf8').matchAll(/\]\((\/[^)]+\.md)\)/g)]
  expect(listed.map(([, link = '']) => link).filter((link) => !isBuilt(link))).toEqual([])
  expect(listed.length).toBeGreaterThan(150)
}, 1_200_000)
