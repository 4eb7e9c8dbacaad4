/** The pages of the site by what a reader wants: to start, to understand, to solve a task, to operate it, to look something up. */
import { basename, join, relative } from 'node:path'
import type { DefaultTheme } from 'vitepress'
import { publishablePackages, ROOT } from '../../scripts/packages/publishable.ts'
import { entryPoints } from '../entry-points.ts'
import { pagePath } from './pages.ts'

type Pages = Readonly<Record<string, string>>

const START: Pages = {
  'Start in five minutes': '/start',
  'What it is': '/overview',
  Express: '/how-to/express',
  Fastify: '/how-to/fastify',
  Hono: '/how-to/hono',
  'Next.js': '/how-to/nextjs',
  NestJS: '/how-to/nestjs',
  'Cloudflare Workers': '/how-to/workers',
  'AWS Lambda': '/how-to/lambda',
  'Plain Node': '/how-to/node',
  'A complete server': '/how-to/run-a-server',
}

const CONCEPTS: Pages = {
  'Tokens and grants': '/concepts/tokens-and-grants',
  Consent: '/concepts/consent',
  'Registration and client documents': '/concepts/clients',
  Sessions: '/concepts/sessions',
  'Scopes and resources': '/concepts/scopes-and-resources',
  'Refresh token rotation and retries': '/concepts/refresh-tokens',
  'Threat model': '/security#threat-model',
  Architecture: '/concepts/architecture',
}

const SIGN_IN: Pages = {
  'express-session': '/how-to/express-session',
  Passport: '/how-to/passport',
  'better-auth': '/how-to/better-auth',
  'Auth.js': '/how-to/auth-js',
  'Hosted sign-in': '/how-to/hosted-sign-in',
  'External sign-in, in any language': '/how-to/external-sign-in',
  'OpenID Connect': '/how-to/openid',
  Logout: '/how-to/logout',
  Webhooks: '/how-to/webhooks',
  'Branding and languages': '/how-to/pages',
  'Screenshots of the pages': '/pages-gallery',
}

const APIS: Pages = {
  'Protect an API': '/how-to/protect-an-api',
  'MCP server': '/how-to/mcp',
  'JWT access tokens': '/how-to/jwt-access-tokens',
  'Forward auth: nginx, Caddy, Traefik': '/how-to/forward-auth',
  'DPoP: sender-constrained tokens': '/how-to/dpop',
}

const CLIENTS: Pages = {
  'Device authorization': '/how-to/device-authorization',
  'Client credentials': '/how-to/client-credentials',
  'Personal access tokens': '/how-to/personal-access-tokens',
  'Step-up authentication': '/how-to/step-up',
  'Token exchange': '/how-to/token-exchange',
  'Enterprise-Managed Authorization (ID-JAG)': '/how-to/enterprise-managed-authorization',
  'Workload identity': '/how-to/workload-identity',
  'Pushed authorization requests (PAR)': '/how-to/par',
  'FAPI 2.0': '/how-to/fapi2',
  'Static clients': '/how-to/static-clients',
  'Client ID metadata documents (CIMD)': '/how-to/client-documents',
  'Rate limits': '/how-to/rate-limits',
  'MCP clients': '/clients',
}

const EXTEND: Pages = {
  'Test your application': '/how-to/test',
  'Write a feature': '/how-to/feature',
  'Write a store': '/how-to/store',
  'Write an adapter': '/how-to/adapter',
}

const OPERATE: Pages = {
  'The server in operation': '/server',
  'Users and the admin pages': '/server/users',
  'Sign-in methods': '/server/sign-in',
  'Providers: Google, Microsoft, GitHub': '/server/providers',
  'Audit trail': '/server/audit-trail',
  'Signing keys': '/server/keys',
  Deployment: '/operations',
  Monitoring: '/operations/monitoring',
  'Back up and restore': '/operations/backup',
  'Stolen secrets': '/operations/stolen-secrets',
  Scaling: '/scaling',
  'Admin API': '/how-to/admin-api',
  Doctor: '/doctor',
  'The reference service': '/reference-service',
}

const PROVIDERS: Pages = {
  Google: '/server/providers/google',
  'Microsoft Entra': '/server/providers/microsoft',
  Apple: '/server/providers/apple',
  GitHub: '/server/providers/github',
  GitLab: '/server/providers/gitlab',
  Okta: '/server/providers/okta',
  Auth0: '/server/providers/auth0',
  'Amazon Cognito': '/server/providers/cognito',
  Keycloak: '/server/providers/keycloak',
  authentik: '/server/providers/authentik',
  Zitadel: '/server/providers/zitadel',
  Slack: '/server/providers/slack',
  Discord: '/server/providers/discord',
  LinkedIn: '/server/providers/linkedin',
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

export const LOOK_UP: Pages = {
  'Configuration of the server': '/configuration',
  'Options of core': '/reference/core-options',
  'Runtimes, CommonJS and Jest': '/reference/runtimes',
  Simulation: '/reference/simulation',
  'Command line': '/cli',
  'HTTP API': '/http-api',
  Errors: '/errors',
  Events: '/events',
  'RFCs and specifications': '/reference/specifications',
}

const SECURITY: Pages = {
  'Threat model and guarantees': '/security',
  'Attacks and their tests': '/security-tests',
  'OpenID conformance suite': '/openid-suite',
  'A model of a grant': '/model',
  'Do the tests notice a fault?': '/mutants',
}

const MIGRATE: Pages = {
  'From oidc-provider': '/migrate/oidc-provider',
  'From the MCP SDK': '/migrate/mcp-sdk',
  'From workers-oauth-provider': '/migrate/workers-oauth-provider',
  'From Auth.js as a provider': '/migrate/authjs',
  'From Ory Hydra': '/migrate/hydra',
}

const TROUBLESHOOTING: Pages = {
  'Common faults and questions': '/troubleshooting',
  'Why a sign-in failed': '/why',
  'Check a live server': '/doctor',
}

/** The pages of a list. @param collapsed absent: the list is always open */
function list(text: string, pages: Pages, collapsed?: boolean): DefaultTheme.SidebarItem {
  const items = Object.entries(pages).map(([title, link]) => ({ text: title, link }))
  return collapsed === undefined ? { text, items } : { text, items, collapsed }
}

const API = Object.fromEntries(
  entryPoints.map(({ specifier, file }) => [specifier, `/${pagePath(`site/${file}`).replace(/\.md$/, '')}`]),
)

/** The README of each published package, by the name of its folder. */
const PACKAGES = Object.fromEntries(
  publishablePackages().map(({ folder }) => [
    basename(folder),
    `/${pagePath(join(relative(ROOT, folder), 'README.md')).replace(/\.md$/, '')}`,
  ]),
)

export const sidebar: DefaultTheme.SidebarItem[] = [
  list('Start', START),
  list('Concepts', CONCEPTS),
  list('Guides: APIs and tokens', APIS, false),
  list('Guides: sign-in', SIGN_IN, false),
  list('Guides: clients', CLIENTS, false),
  list('Guides: test and extend', EXTEND, false),
  list('Operate', OPERATE),
  list('Reference', LOOK_UP),
  list('TypeScript API', API, true),
  list('Packages', PACKAGES, true),
  list('Providers', PROVIDERS, true),
  list('Client libraries', LIBRARIES, true),
  list('Security', SECURITY),
  list('Migrate', MIGRATE),
  list('Compare', { 'Compared with other servers': '/comparison' }),
  list('Troubleshooting and FAQ', TROUBLESHOOTING),
  list('Glossary', { Glossary: '/glossary' }),
  list('Project', { Changelog: '/changelog', Contributing: '/contributing', Roadmap: '/roadmap' }),
]
