import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { extendMarkdown } from './markdown.ts'
import { EXCLUDED, pagePath } from './pages.ts'
import { resolveFromSite } from './resolve-from-site.ts'

const PACKAGES = new URL('../../packages/', import.meta.url)
const isPublished = (name: string) =>
  JSON.parse(readFileSync(new URL(`${name}/package.json`, PACKAGES), 'utf8')).private !== true
const packages = readdirSync(PACKAGES).filter(isPublished).sort()
const decisions = readdirSync(new URL('../../docs/adr', import.meta.url)).sort()
const words = (file: string) =>
  file.replace(/\.md$/, '').replace(/^0*/, '').replace('-', '. ').replaceAll('-', ' ')

export default defineConfig({
  title: 'Grantkit',
  description: 'An OAuth 2.0 and OpenID Connect authorization server for TypeScript',
  srcDir: '..',
  srcExclude: EXCLUDED,
  rewrites: pagePath,
  outDir: './.vitepress/dist',
  cleanUrls: true,
  lastUpdated: false,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/favicon.svg' }]],
  vite: {
    plugins: [resolveFromSite()],
    publicDir: fileURLToPath(new URL('../public', import.meta.url)),
    build: { chunkSizeWarningLimit: 2000 },
  },
  markdown: { config: extendMarkdown },
  transformPageData({ relativePath, frontmatter }) {
    if (relativePath === 'comparison.md') frontmatter.aside = false
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: 'https://github.com/grantkit/grantkit' }],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Comparison', link: '/comparison' },
    ],
    sidebar: [
      {
        text: 'Grantkit',
        items: [
          { text: 'Overview', link: '/overview' },
          { text: 'Start in five minutes', link: '/start' },
          { text: 'Concepts', link: '/concepts' },
          { text: 'MCP clients', link: '/clients' },
          { text: 'Errors', link: '/errors' },
          { text: 'Comparison', link: '/comparison' },
          { text: 'OpenID conformance suite', link: '/openid-suite' },
        ],
      },
      {
        text: 'How to',
        items: [
          { text: 'Express', link: '/how-to/express' },
          { text: 'Pages: brand and languages', link: '/how-to/pages' },
          { text: 'How the pages look', link: '/pages-gallery' },
          { text: 'express-session', link: '/how-to/express-session' },
          { text: 'Passport', link: '/how-to/passport' },
          { text: 'NestJS', link: '/how-to/nestjs' },
          { text: 'Next.js', link: '/how-to/nextjs' },
          { text: 'OpenID Connect', link: '/how-to/openid' },
          { text: 'MCP server', link: '/how-to/mcp' },
          { text: 'Device grant and command lines', link: '/how-to/cli' },
          { text: 'Static clients', link: '/how-to/static-clients' },
          { text: 'Client ID metadata documents (CIMD)', link: '/how-to/client-documents' },
          { text: 'Logout', link: '/how-to/logout' },
          { text: 'Forward auth', link: '/how-to/gateway' },
          { text: 'JWT access tokens', link: '/how-to/jwt-access-tokens' },
          { text: 'Token exchange', link: '/how-to/delegate' },
          { text: 'Pushed authorization requests (PAR)', link: '/how-to/push' },
          { text: 'Client credentials', link: '/how-to/job' },
          { text: 'DPoP', link: '/how-to/dpop' },
          { text: 'FAPI 2.0', link: '/how-to/fapi2' },
          { text: 'Write a store', link: '/how-to/store' },
          { text: 'Write an adapter', link: '/how-to/adapter' },
          { text: 'Write a feature', link: '/how-to/feature' },
          { text: 'Test your application', link: '/how-to/test' },
          { text: 'CommonJS, ES modules and Jest', link: '/how-to/module-systems' },
        ],
      },
      {
        text: 'Clients',
        items: [
          { text: 'Client libraries', link: '/clients/libraries' },
          { text: 'Python', link: '/clients/python' },
          { text: 'Go', link: '/clients/go' },
          { text: 'Java and Kotlin', link: '/clients/java' },
          { text: 'Rust', link: '/clients/rust' },
          { text: 'JavaScript and TypeScript', link: '/clients/javascript' },
          { text: 'Apache', link: '/clients/apache' },
        ],
      },
      {
        text: 'Migrate',
        items: [
          { text: 'oidc-provider', link: '/migrate/oidc-provider' },
          { text: 'MCP SDK router', link: '/migrate/mcp-sdk' },
        ],
      },
      {
        text: 'Operations',
        items: [
          { text: 'Reference service', link: '/reference-service' },
          { text: 'Settings', link: '/reference-service#settings' },
          { text: 'Deployment and monitoring', link: '/operations' },
          { text: 'Scaling', link: '/scaling' },
          { text: 'Doctor', link: '/doctor' },
        ],
      },
      { text: 'Packages', items: packages.map((name) => ({ text: name, link: `/packages/${name}` })) },
      {
        text: 'Reference',
        collapsed: true,
        items: packages.map((name) => ({ text: `@grantkit/${name}`, link: `/reference/${name}` })),
      },
      {
        text: 'Decisions',
        collapsed: true,
        items: decisions.map((file) => ({ text: words(file), link: `/adr/${file.replace(/\.md$/, '')}` })),
      },
      { text: 'Contribute', items: [{ text: 'Contributing', link: '/contributing' }] },
    ],
  },
})
