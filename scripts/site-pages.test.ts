import { expect, it } from 'vitest'
import { pageFiles, pagePath } from '../site/.vitepress/pages.ts'
import { groups, linksOf, MAIN } from '../site/.vitepress/sidebar.ts'
import { entryPoints } from '../site/entry-points.ts'
import { llmsText, markdownOf } from '../site/llms.ts'

/** TypeDoc and the changelog are made when the site is built. */
const built = ['/changelog', '/reference/index', ...entryPoints.map(({ file }) => linkOf(`site/${file}`))]
const files = pageFiles()
const pages = files.map(linkOf)
const linked = linksOf(groups)

it('each link of a sidebar leads to a page', () => {
  expect(linked.filter((link) => !pages.includes(link) && !built.includes(link))).toEqual([])
})

it('each page of the documentation is in a sidebar, once', () => {
  const documented = files.filter((file) => file.startsWith('docs/')).map(linkOf)
  expect(documented.filter((page) => !linked.includes(page))).toEqual([])
  for (const links of [linked, linksOf(MAIN)])
    expect(links.filter((link, index) => links.indexOf(link) !== index)).toEqual([])
})

it('the main sidebar is short enough to be read', () => {
  expect(linksOf(MAIN).length).toBeLessThan(90)
})

it('no two files are one page', () => {
  expect(pages.filter((page, index) => pages.indexOf(page) !== index)).toEqual([])
})

it('a program reads the list of the pages, and their Markdown with links that the site has', () => {
  expect(llmsText()).toContain('\n- [Start in five minutes](/start.md)\n')
  expect(llmsText().match(/\(\/comparison.md\)/g), 'a page of an area').toHaveLength(1)
  expect(markdownOf('docs/how-to/hono.md')).toContain('](/concepts/sessions.md#session-and-pages)')
})

function linkOf(file: string): string {
  return `/${pagePath(file).replace(/\.md$/, '')}`
}
