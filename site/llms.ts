/** Writes what programs read: the Markdown of each page next to its HTML, and llms.txt, the list of them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { linkTarget, pageFiles, pagePath } from './.vitepress/pages.ts'
import { groups } from './.vitepress/sidebar.ts'

const ROOT = join(import.meta.dirname, '..')
const LINK = /(?<=\]\()[^)\s]+(?=\))/g

/** @param file from the root of the repository */
export function markdownOf(file: string): string {
  const parts = readFileSync(join(ROOT, file), 'utf8').split(/(^```[\s\S]*?^```$)/m)
  const linked = (text: string) => text.replaceAll(LINK, (href) => linkTarget(file, href))
  return parts.map((part) => (part.startsWith('```') ? part : linked(part))).join('')
}

/** The pages of all sidebars, by their headings (https://llmstxt.org). */
export function llmsText(): string {
  const sections = groups.map(({ text, items }) => {
    const links = items.map(({ text, link }) => `- [${text}](${link.replace(/(?=#|$)/, '.md')})`)
    return [`## ${text}`, links.join('\n')].join('\n\n')
  })
  const summary =
    '> An OAuth 2.0 and OpenID Connect authorization server for TypeScript: a library and a complete server.'
  return `${['# Grantkit', summary, ...sections].join('\n\n')}\n`
}

if (import.meta.main) {
  const write = (path: string, text: string) => {
    const file = join(import.meta.dirname, '.vitepress/dist', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const file of pageFiles()) write(pagePath(file), markdownOf(file))
  write('llms.txt', llmsText())
}
