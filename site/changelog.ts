/** Writes the changelog page: the changesets of the next release, then the changelogs of all packages, version by version. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { publishablePackages, ROOT } from '../scripts/packages/publishable.ts'

const PAGE = 'site/reference/changelog.md'
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

interface Release {
  readonly version: string
  readonly package: string
  readonly text: string
}

const changelogs = publishablePackages().map(({ folder }) => join(relative(ROOT, folder), 'CHANGELOG.md'))
const releases = globSync(changelogs, { cwd: ROOT }).sort().flatMap(releasesIn)
const byVersion = Object.entries(Object.groupBy(releases, ({ version }) => version))
const newestFirst = new Intl.Collator('en', { numeric: true }).compare

writeFileSync(
  join(ROOT, PAGE),
  [
    '# Changelog',
    ...nextRelease(),
    ...byVersion.sort(([one], [other]) => newestFirst(other, one)).flatMap(sectionOf),
  ].join('\n\n'),
)

/** The versions of a package: `## 0.1.0` and what follows. */
function releasesIn(file: string): Release[] {
  const [title = '', ...sections] = read(file).split(/^## /m)
  return sections.map((section) => {
    const [version = '', ...lines] = section.split('\n')
    const text = linksFrom(file, lines.join('\n').replaceAll(/^#+ /gm, '#$&').trim())
    return { version: version.trim(), package: title.replace('#', '').trim(), text }
  })
}

function sectionOf([version, packages = []]: [string, Release[]?]): string[] {
  return [`## ${version}`, ...packages.flatMap(({ package: name, text }) => [`### ${name}`, text])]
}

/** The changesets in `.changeset`: a list of packages, and a text. */
function nextRelease(): string[] {
  const texts = globSync('.changeset/*.md', { cwd: ROOT, exclude: ['.changeset/README.md'] })
    .sort()
    .flatMap((file) => {
      const [, packages = '', text = ''] = read(file).split(/^---$/m)
      const names = [...packages.matchAll(/^['"](.+?)['"]/gm)].map(([, name]) => `\`${name}\``)
      return [`${linksFrom(file, text.trim())}`, `For ${names.join(', ')}.`]
    })
  return texts.length === 0 ? [] : ['## Next release', ...texts]
}

/** Relative links of a file, as links of the page. */
function linksFrom(file: string, text: string): string {
  const moved = (path: string) => posix.relative(posix.dirname(PAGE), posix.join(posix.dirname(file), path))
  return text.replaceAll(/\]\((?!https?:|#)([^)]+)\)/g, (_, path) => `](${moved(path)})`)
}
