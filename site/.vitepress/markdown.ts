/** Adapts the repository's Markdown to the site: follows its links and draws its diagrams. */
import { existsSync } from 'node:fs'
import { relative, sep } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { linkTarget } from './pages.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const isPage = (file: string) => file.endsWith('.md') && existsSync(ROOT + file)

export function extendMarkdown(md: MarkdownRenderer): void {
  followLinks(md)
  drawDiagrams(md)
}

function followLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const from = relative(ROOT, env.realPath ?? env.path)
      .split(sep)
      .join('/')
    const links = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open')
    for (const link of links) link.attrSet('href', linkTarget(from, link.attrGet('href') ?? '', isPage))
  })
}

function drawDiagrams(md: MarkdownRenderer): void {
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info = '', content = '' } = tokens[index] ?? {}
    if (info.trim() === 'mermaid') return `<PageDiagram code="${encodeURIComponent(content)}" />`
    return fence?.(tokens, index, ...rest) ?? ''
  }
}
