/** The Markdown files that are pages, and their place on the site. */
import { existsSync, globSync } from 'node:fs'
import { matchesGlob, posix } from 'node:path'

const ROOT = new URL('../..', import.meta.url).pathname

export const EXCLUDED = [
  '**/node_modules/**',
  '**/.code-blocks/**',
  '.changeset/**',
  '.github/**',
  // One page has all of them: site/changelog.ts.
  '**/CHANGELOG.md',
  // Decisions are read in the repository. The concepts that they explain link to them.
  'docs/adr/**',
  // Rules for a folder of the repository.
  '*/**/CONTRIBUTING.md',
  'site/README.md',
]

const isExcluded = (file: string) => EXCLUDED.some((pattern) => matchesGlob(file, pattern))

/** @param file from the root of the repository */
export const isPage = (file: string) => file.endsWith('.md') && existsSync(ROOT + file) && !isExcluded(file)

/** Every page, from the root of the repository. */
export function pageFiles(): string[] {
  const patterns = ['*.md', '{apps,docs,examples,packages,proof,site}/**/*.md']
  return globSync(patterns, { cwd: ROOT, exclude: ['**/node_modules/**'] })
    .filter(isPage)
    .sort()
}

const MOVED: Readonly<Record<string, string>> = {
  'README.md': 'overview.md',
  'proof/README.md': 'proof.md',
  'apps/reference/README.md': 'reference-service.md',
  'site/reference/changelog.md': 'changelog.md',
}

/** A README is the page of its folder. The site has a home of its own, `site/index.md`. */
export function pagePath(file: string): string {
  const moved = file
    .replace(/^proof\/torture\//, 'packages/torture/')
    .replace(/^(docs|proof)\//, '')
    .replace(/^site\/reference\/@grantkit\//, 'reference/')
    .replace(/^site\//, '')
  return MOVED[file] ?? moved.replace(/\/README\.md$/, '.md').toLowerCase()
}

/** The target of a Markdown link on the site: a page, or the repository. */
export function linkTarget(from: string, href: string): string {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href
  const [path = '', hash] = href.split('#')
  const file = posix.join(posix.dirname(from), path)
  const anchor = hash === undefined ? '' : `#${hash}`
  if (isPage(file)) return `/${pagePath(file)}${anchor}`
  return `https://github.com/grantkit/grantkit/blob/main/${file}${anchor}`
}
