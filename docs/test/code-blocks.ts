/**
 * The TypeScript blocks of the documentation, written into a folder to compile and run them. A block with a name in its
 * fence becomes a file: ```ts [name.ts]. A page's assumed declarations are in preambles/, also named in the fence:
 * ```ts with:fastify. A comment with an `@example` is such a page too. Imported files that no block defines are in stand-ins/; the interaction is that of the quick
 * start. Pages of INSTALLED need packages that this repository does not have: scripts/packages/guides.night.test.ts
 * installs, compiles and runs them.
 */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
export const INTERACTION = join(ROOT, 'examples/quick-start/interaction.ts')
const PAGES = ['*.md', 'docs/**/*.md', '{apps,examples,packages}/*/*.md', 'proof/{model,torture}/*.md']
const SOURCES = 'packages/*/src/**/*.ts'
const FENCE = /^```(?<language>\w+)(?<info>[^\n]*)\n(?<code>[\s\S]*?)^```$/gm

export const INSTALLED: readonly string[] = ['docs/how-to/nestjs.md', 'docs/how-to/nextjs.md']

export interface CodeBlock {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly info: string
  readonly code: string
}

/** The Markdown files of the documentation, from the root of the repository. */
export function pages(): string[] {
  return globSync(PAGES, { cwd: ROOT, exclude: ['**/node_modules/**'] }).sort()
}

/** The blocks of TypeScript, in pages and in examples of sources. */
export function codeBlocks(): CodeBlock[] {
  const written = fencedBlocks().filter(({ language }) => language === 'ts' || language === 'tsx')
  return [...written, ...exampleBlocks()]
}

/** The `@example`s of the published packages. */
function exampleBlocks(): CodeBlock[] {
  const sources = globSync(SOURCES, { cwd: ROOT, exclude: ['**/*.test.ts'] }).sort()
  return sources.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    return text.includes('@example') ? blocksOf(page, text.replaceAll(/^[^\S\n]*\* ?/gm, '')) : []
  })
}

/** The blocks of every language. */
export function fencedBlocks(): CodeBlock[] {
  return pages().flatMap((page) => blocksOf(page, readFileSync(join(ROOT, page), 'utf8')))
}

function blocksOf(page: string, text: string): CodeBlock[] {
  return [...text.matchAll(FENCE)].map(({ index, groups }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    language: groups?.language ?? '',
    info: groups?.info ?? '',
    code: groups?.code ?? '',
  }))
}

/** Writes all blocks into `folder`, the blocks of one page together. */
export function extract(blocks: readonly CodeBlock[], folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  for (const block of blocks) {
    const target = join(folder, folderOf(block.page))
    mkdirSync(target, { recursive: true })
    cpSync(join(import.meta.dirname, 'stand-ins'), target, { recursive: true })
    cpSync(INTERACTION, join(target, 'interaction.ts'))
  }
  for (const block of blocks) write(block, join(folder, folderOf(block.page)))
}

/** Writes a block to where its name says, below `folder`. */
export function write(block: CodeBlock, folder: string): void {
  const file = join(folder, nameOf(block))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, sourceOf(block))
}

/** The folder of a page's blocks: `docs/how-to/store.md` becomes `docs-how-to-store`. */
export function folderOf(page: string): string {
  return page.replaceAll('/', '-').replace(/\.\w+$/, '')
}

function nameOf({ info, line }: CodeBlock): string {
  return /\[(.+)\]/.exec(info)?.[1] ?? `line-${line}.ts`
}

function sourceOf({ info, code }: CodeBlock): string {
  const preamble = /with:(\w+)/.exec(info)?.[1]
  if (preamble === undefined) return code
  return `${readFileSync(join(import.meta.dirname, 'preambles', `${preamble}.ts`), 'utf8')}\n${code}`
}
