import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { anchorOf, extendMarkdown } from './markdown.ts'
import { EXCLUDED, pagePath } from './pages.ts'
import { resolveFromSite } from './resolve-from-site.ts'
import { weightOf } from './search-weight.ts'
import { LOOK_UP, sidebars } from './sidebar.ts'

const REPOSITORY = 'https://github.com/grantkit/grantkit'

export default defineConfig({
  title: 'Grantkit',
  description: 'An OAuth 2.0 and OpenID Connect authorization server for TypeScript',
  srcDir: '..',
  srcExclude: EXCLUDED,
  rewrites: pagePath,
  outDir: './.vitepress/dist',
  cleanUrls: true,
  lastUpdated: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/favicon.svg' }]],
  vite: {
    plugins: [resolveFromSite()],
    publicDir: fileURLToPath(new URL('../public', import.meta.url)),
    build: { chunkSizeWarningLimit: 2000 },
  },
  markdown: { config: extendMarkdown, anchor: { slugify: anchorOf } },
  transformPageData({ relativePath, filePath, frontmatter }) {
    // Their tables need the room.
    if (['clients.md', 'comparison.md'].includes(relativePath)) frontmatter.aside = false
    // Generated from TSDoc: there is no Markdown to edit.
    if (filePath.startsWith('site/reference/')) frontmatter.editLink = false
  },
  themeConfig: {
    search: { provider: 'local', options: { miniSearch: { searchOptions: { boostDocument: weightOf } } } },
    outline: [2, 3],
    editLink: { pattern: `${REPOSITORY}/edit/main/:path`, text: 'Edit this page' },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'MCP server', link: '/how-to/mcp' },
      {
        text: 'Reference',
        items: Object.entries(LOOK_UP).map(([text, link]) => ({ text, link })),
      },
      { text: 'Security', link: '/security' },
      { text: 'Compare', link: '/comparison' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
    ],
    sidebar: sidebars,
  },
})
