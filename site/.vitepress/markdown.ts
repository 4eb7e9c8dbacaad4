/** Adapts the repository's Markdown to the site: follows its links, draws its diagrams and names the files of its programs. */
import { relative, sep } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { linkTarget } from './pages.ts'

const ROOT = new URL('../..', import.meta.url).pathname

/** The anchor of a heading as the repository host makes it, so that a link to a heading works in both places. */
export function anchorOf(heading: string): string {
  const words = heading.trim().toLowerCase()
  return words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-')
}

export function extendMarkdown(md: MarkdownRenderer): void {
  followLinks(md)
  drawDiagrams(md)
  nameFiles(md)
  breakUrls(md)
}

function followLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const from = relative(ROOT, env.realPath ?? env.path)
      .split(sep)
      .join('/')
    const links = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open')
    for (const link of links) link.attrSet('href', linkTarget(from, link.attrGet('href') ?? ''))
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

/** ```ts [server.ts]: the programs of a page import each other by these names. */
function nameFiles(md: MarkdownRenderer): void {
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const [, name] = /\[(.+)\]/.exec(tokens[index]?.info ?? '') ?? []
    const caption = name === undefined ? '' : `<p class="file-name" v-pre>${md.utils.escapeHtml(name)}</p>`
    return caption + (fence?.(tokens, index, ...rest) ?? '')
  }
}

/** A URL in a table may break after a slash. A key may not break at all (style.css). */
function breakUrls(md: MarkdownRenderer): void {
  const code = md.renderer.rules.code_inline
  md.renderer.rules.code_inline = (tokens, index, ...rest) => {
    const { content = '' } = tokens[index] ?? {}
    if (!/^[\w.]+:\/\//.test(content)) return code?.(tokens, index, ...rest) ?? ''
    return `<code class="url" v-pre>${md.utils.escapeHtml(content).replaceAll('/', '/<wbr>')}</code>`
  }
}
