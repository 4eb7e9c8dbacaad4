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
          { text: 'What it is', link: '/overview' },
          { text: 'Start in five minutes', link: '/start' },
          { text: 'Concepts', link: '/concepts' },
          { text: 'MCP clients', link: '/clients' },
          { text: 'Refusals', link: '/errors' },
          { text: 'Comparison', link: '/comparison' },
          { text: "The OpenID Foundation's suite", link: '/openid-suite' },
        ],
      },
      {
        text: 'How to',
        items: [
          { text: 'Into an Express application', link: '/how-to/express' },
          { text: 'With express-session', link: '/how-to/express-session' },
          { text: 'With Passport', link: '/how-to/passport' },
          { text: 'With NestJS', link: '/how-to/nestjs' },
          { text: 'With Next.js', link: '/how-to/nextjs' },
          { text: 'Sign users in (OpenID Connect)', link: '/how-to/openid' },
          { text: 'Guard an MCP server', link: '/how-to/mcp' },
          { text: 'Sign in from a command line', link: '/how-to/cli' },
          { text: 'Add an integration', link: '/how-to/integration' },
          { text: 'Let clients bring their document', link: '/how-to/client-documents' },
          { text: 'Let apps sign their users out', link: '/how-to/logout' },
          { text: 'Guard what is behind a gateway', link: '/how-to/gateway' },
          { text: 'Sign access tokens', link: '/how-to/jwt-access-tokens' },
          { text: 'Hand on less than you have', link: '/how-to/delegate' },
          { text: 'Let clients push their requests', link: '/how-to/push' },
          { text: 'Let a job have tokens of its own', link: '/how-to/job' },
          { text: 'Bind tokens to a key', link: '/how-to/dpop' },
          { text: 'Keep to FAPI 2.0', link: '/how-to/fapi2' },
          { text: 'Write a store', link: '/how-to/store' },
          { text: 'Write an adapter', link: '/how-to/adapter' },
          { text: 'Write a feature', link: '/how-to/feature' },
          { text: 'Test your application', link: '/how-to/test' },
          { text: 'Use it from CommonJS, ES modules or Jest', link: '/how-to/module-systems' },
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
        text: 'Come from',
        items: [
          { text: 'oidc-provider', link: '/migrate/oidc-provider' },
          { text: 'the router of the MCP SDK', link: '/migrate/mcp-sdk' },
        ],
      },
      {
        text: 'Run it',
        items: [
          { text: 'The reference service', link: '/reference-service' },
          { text: 'Settings', link: '/reference-service#settings' },
          { text: 'Operations', link: '/operations' },
          { text: 'Scaling out', link: '/scaling' },
          { text: 'The doctor', link: '/doctor' },
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
      { text: 'Work on it', items: [{ text: 'Contributing', link: '/contributing' }] },
    ],
  },
})
