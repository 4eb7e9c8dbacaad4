/** The Markdown files that are pages, and their place on the site. */
import { posix } from 'node:path'

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
export function linkTarget(from: string, href: string, isPage: (file: string) => boolean): string {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href
  const [path = '', hash] = href.split('#')
  const file = posix.join(posix.dirname(from), path)
  const anchor = hash === undefined ? '' : `#${hash}`
  if (isPage(file)) return `/${pagePath(file)}${anchor}`
  return `https://github.com/grantkit/grantkit/blob/main/${file}${anchor}`
}
