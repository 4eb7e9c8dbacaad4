/** The pages of the site by what a reader is after: to start, to understand, to solve a task, to run it, to look something up. */
import { existsSync } from 'node:fs'
import type { DefaultTheme } from 'vitepress'
import { entryPoints, packages } from '../entry-points.ts'
import { pagePath } from './pages.ts'

type Pages = Readonly<Record<string, string>>

const START: Pages = {
  'Start in five minutes': '/start',
  'What it is': '/overview',
  Express: '/how-to/express',
  'Next.js': '/how-to/nextjs',
  NestJS: '/how-to/nestjs',
  'A complete server': '/how-to/run-a-server',
  'An application in another language': '/how-to/external-sign-in',
  'CommonJS, ES modules and Jest': '/how-to/module-systems',
}

const CONCEPTS: Pages = {
  'Tokens, grants and consent': '/concepts',
  Glossary: '/glossary',
  'Compared with other servers': '/comparison',
}

const SIGN_IN: Pages = {
  'OpenID Connect': '/how-to/openid',
  'Users of your application': '/how-to/external-sign-in',
  'express-session': '/how-to/express-session',
  Passport: '/how-to/passport',
  'Pages: brand and languages': '/how-to/pages',
  'How the pages look': '/pages-gallery',
  Logout: '/how-to/logout',
}

const CLIENTS: Pages = {
  'Protect an API with scopes': '/how-to/protect-an-api',
  'MCP server': '/how-to/mcp',
  'MCP clients': '/clients',
  'Static clients': '/how-to/static-clients',
  'Known clients': '/how-to/known-clients',
  'Client ID metadata documents (CIMD)': '/how-to/client-documents',
  'Device authorization and command lines': '/how-to/device-authorization',
  'Client credentials': '/how-to/client-credentials',
  'Token exchange': '/how-to/token-exchange',
}

const TOKENS: Pages = {
  'JWT access tokens': '/how-to/jwt-access-tokens',
  'DPoP: sender-constrained tokens': '/how-to/dpop',
  'Pushed authorization requests (PAR)': '/how-to/par',
  'FAPI 2.0': '/how-to/fapi2',
  'Forward auth: nginx, Caddy, Traefik': '/how-to/forward-auth',
}

const EXTEND: Pages = {
  'Write a feature': '/how-to/feature',
  'Write a store': '/how-to/store',
  'Write an adapter': '/how-to/adapter',
  'Test your application': '/how-to/test',
}

const OPERATE: Pages = {
  'The server in operation': '/server',
  'Deployment and monitoring': '/operations',
  Scaling: '/scaling',
  'Admin API': '/how-to/admin-api',
  Doctor: '/doctor',
  'The reference service': '/reference-service',
}

const LIBRARIES: Pages = {
  'All libraries': '/clients/libraries',
  Python: '/clients/python',
  Go: '/clients/go',
  'Java and Kotlin': '/clients/java',
  Rust: '/clients/rust',
  'JavaScript and TypeScript': '/clients/javascript',
  Apache: '/clients/apache',
}

const LOOK_UP: Pages = {
  Configuration: '/configuration',
  Errors: '/errors',
  'Why a sign-in failed': '/why',
}

const SECURITY: Pages = {
  'Attacks and their tests': '/security-tests',
  'OpenID conformance suite': '/openid-suite',
}

const MIGRATE: Pages = {
  'From oidc-provider': '/migrate/oidc-provider',
  'From the MCP SDK': '/migrate/mcp-sdk',
}

/** The pages of a list. @param collapsed absent: the list is always open */
function list(text: string, pages: Pages, collapsed?: boolean): DefaultTheme.SidebarItem {
  const items = Object.entries(pages).map(([title, link]) => ({ text: title, link }))
  return collapsed === undefined ? { text, items } : { text, items, collapsed }
}

function byName(names: readonly string[], linkOf: (name: string) => string): Pages {
  return Object.fromEntries(names.map((name) => [name, linkOf(name)]))
}

const API = Object.fromEntries(
  entryPoints.map(({ specifier, file }) => [specifier, `/${pagePath(`site/${file}`).replace(/\.md$/, '')}`]),
)

const released = packages.filter((name) =>
  existsSync(new URL(`../../packages/${name}/CHANGELOG.md`, import.meta.url)),
)

export const sidebar: DefaultTheme.SidebarItem[] = [
  list('Start', START),
  list('Concepts', CONCEPTS),
  list('Guides: sign-in', SIGN_IN, false),
  list('Guides: clients', CLIENTS, false),
  list('Guides: tokens and APIs', TOKENS, false),
  list('Guides: extend and test', EXTEND, false),
  list('Operate', OPERATE),
  list('Reference', LOOK_UP),
  list('TypeScript API', API, true),
  list(
    'Packages',
    byName(packages, (name) => `/packages/${name}`),
    true,
  ),
  list('Client libraries', LIBRARIES, true),
  list('Security', SECURITY),
  list('Migrate', MIGRATE),
  list(
    'Changelog',
    byName(released, (name) => `/packages/${name}/changelog`),
    true,
  ),
  list('Contribute', { Contributing: '/contributing' }),
]
